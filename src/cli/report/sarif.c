/* The SARIF log; see sarif.h. Its members are those of the OASIS standard "SARIF Version 2.1.0"
 * (2020). */
#include "cli/report/sarif.h"

#include <string.h>

#include "base/json_escape.h"
#include "cli/explain/explain.h"
#include "cli/report/input_name.h"
#include "cli/report/json_value.h"
#include "warpld.h"

/* The text of the log up to its first result. The rules are written after the results, because they
 * are known only after the last result. */
#define START                                                                                      \
    "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", "    \
    "\"runs\": [{\"results\": [\n"

/* SARIF has no level "info". */
static const char LEVELS[][8] = {
    [WARPLD_NOTE] = "note",   [WARPLD_INFO] = "note",   [WARPLD_WARNING] = "warning",
    [WARPLD_ERROR] = "error", [WARPLD_FATAL] = "error",
};

static json_t *new_object(struct arena *arena)
{
    return json_made(arena, json_object());
}

static json_t *new_list(struct arena *arena)
{
    return json_made(arena, json_array());
}

/* Returns a SARIF message object: {"text": text}. */
static json_t *message_of(struct arena *arena, const char *text)
{
    json_t *object = new_object(arena);
    json_set_text(arena, object, "text", text);
    return object;
}

/* --------------------------------------------------------------------------------------------- */
/* Rules                                                                                         */

static json_t *rule_of(struct arena *arena, const struct message *message)
{
    struct explained explained;
    json_t *rule = new_object(arena);
    json_set_text(arena, rule, "id", message->code);
    if (!explain_find(message->code, &explained))
        return rule;
    json_set(arena, rule, "shortDescription", message_of(arena, explained.text));
    json_set(arena, rule, "fullDescription", message_of(arena, explained.cause));
    if (explained.remedy)
        json_set(arena, rule, "help", message_of(arena, explained.remedy));
    json_t *configuration = new_object(arena);
    json_set_text(arena, configuration, "level", LEVELS[explained.severity]);
    json_set(arena, rule, "defaultConfiguration", configuration);
    return rule;
}

/* Returns the index of the rule for the message's code. Adds the rule if the code is new. */
static size_t rule_index(struct sarif_log *log, struct arena *arena, const struct message *message)
{
    size_t count = json_array_size(log->rules);
    for (size_t i = 0; i < count; i++) {
        json_t *id = json_object_get(json_array_get(log->rules, i), "id");
        if (!strcmp(json_string_value(id), message->code))
            return i;
    }
    json_append(arena, log->rules, rule_of(arena, message));
    return count;
}

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

static json_t *physical_location(struct arena *arena, const char *file)
{
    json_t *artifact = new_object(arena), *physical = new_object(arena);
    json_set_text(arena, artifact, "uri", input_name_uri(arena, file));
    json_set(arena, physical, "artifactLocation", artifact);
    return physical;
}

static void add_logical(struct arena *arena, json_t *list, const char *name, const char *kind)
{
    if (!name)
        return;
    json_t *logical = new_object(arena);
    json_set_text(arena, logical, "name", name);
    json_set_text(arena, logical, "kind", kind);
    json_append(arena, list, logical);
}

/* Adds the symbol of a message, with its readable and its mangled name. */
static void add_symbol(struct arena *arena, json_t *list, const struct message *message)
{
    if (!message->symbol)
        return;
    json_t *logical = new_object(arena);
    json_set_text(arena, logical, "name", message->readable ? message->readable : message->symbol);
    json_set_text(arena, logical, "decoratedName", message->symbol);
    json_append(arena, list, logical);
}

/* Returns a location with the message's input, symbol and section. Returns NULL if the message has
 * none of them. */
static json_t *location_of(struct arena *arena, const struct message *message)
{
    json_t *location = new_object(arena), *logical = new_list(arena);
    if (message->input) {
        struct input_name input = input_name_split(arena, message->input);
        json_set(arena, location, "physicalLocation", physical_location(arena, input.file));
        add_logical(arena, logical, input.member, "member");
    }
    add_symbol(arena, logical, message);
    add_logical(arena, logical, message->section, "section");
    if (json_array_size(logical))
        json_set(arena, location, "logicalLocations", logical);
    else
        json_decref(logical);
    if (json_object_size(location))
        return location;
    json_decref(location);
    return NULL;
}

/* Returns the notes as related locations, because a viewer shows these beside the result, in their
 * order. */
static json_t *related_locations(struct arena *arena, const struct message *message)
{
    json_t *list = new_list(arena);
    for (uint32_t i = 0; i < message->notes_count; i++) {
        json_t *location = location_of(arena, &message->notes[i]);
        if (!location)
            location = new_object(arena);
        json_set(arena, location, "message", message_of(arena, message->notes[i].text));
        json_append(arena, list, location);
    }
    return list;
}

static json_t *properties_of(struct arena *arena, const struct message *message)
{
    json_t *properties = new_object(arena);
    json_set_text(arena, properties, "target", message->target);
    return properties;
}

static json_t *result_of(struct sarif_log *log, struct arena *arena, const struct message *message)
{
    json_t *result = new_object(arena), *location = location_of(arena, message);
    json_set_text(arena, result, "ruleId", message->code);
    json_set(arena, result, "ruleIndex", json_integer((json_int_t)rule_index(log, arena, message)));
    json_set_text(arena, result, "level", LEVELS[message->severity]);
    json_set(arena, result, "message", message_of(arena, message->text));
    if (location) {
        json_t *locations = new_list(arena);
        json_append(arena, locations, location);
        json_set(arena, result, "locations", locations);
    }
    if (message->notes_count)
        json_set(arena, result, "relatedLocations", related_locations(arena, message));
    if (message->target)
        json_set(arena, result, "properties", properties_of(arena, message));
    return result;
}

/* --------------------------------------------------------------------------------------------- */
/* The log                                                                                       */

static json_t *tool_of(struct sarif_log *log, struct arena *arena)
{
    json_t *driver = new_object(arena), *tool = new_object(arena);
    json_set_text(arena, driver, "name", "warpld");
    json_set_text(arena, driver, "version", warpld_version());
    json_set_text(arena, driver, "semanticVersion", warpld_version());
    json_set(arena, driver, "rules", log->rules);
    json_set(arena, tool, "driver", driver);
    return tool;
}

static json_t *invocations_of(struct arena *arena, int exit_status)
{
    json_t *invocation = new_object(arena), *list = new_list(arena);
    json_set(arena, invocation, "executionSuccessful", json_boolean(!exit_status));
    json_set(arena, invocation, "exitCode", json_integer(exit_status));
    json_append(arena, list, invocation);
    return list;
}

static char *text_of(struct arena *arena, json_t *value, size_t flags)
{
    char *text = json_escape_del(json_dumps(value, flags | JSON_ENSURE_ASCII));
    json_decref(value);
    if (!text)
        arena_give_up(arena);
    return text;
}

struct sarif_part sarif_log_add(struct sarif_log *log, struct arena *arena,
                                const struct message *message)
{
    if (!log->rules)
        log->rules = new_list(arena);
    json_t *result = result_of(log, arena, message);
    const char *before = log->results_count++ ? "," : START;
    return (struct sarif_part){before, text_of(arena, result, JSON_COMPACT), ""};
}

struct sarif_part sarif_log_finish(struct sarif_log *log, struct arena *arena, int exit_status)
{
    json_t *rest = new_object(arena);
    const char *before = log->results_count ? "], " : START "], ";
    if (!log->rules)
        log->rules = new_list(arena);
    json_set(arena, rest, "tool", tool_of(log, arena));
    json_set(arena, rest, "invocations", invocations_of(arena, exit_status));
    *log = (struct sarif_log){.rules = NULL};
    return (struct sarif_part){before, text_of(arena, rest, JSON_INDENT(1) | JSON_EMBED), "}]}"};
}
