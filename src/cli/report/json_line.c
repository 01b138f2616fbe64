/* Messages in JSON; see json_line.h. docs/messages-for-programs.md describes the members of the
 * object. */
#include "cli/report/json_line.h"

#include "base/json_escape.h"
#include "cli/report/input_name.h"
#include "cli/report/json_value.h"
#include "warpld.h"

static const char SEVERITIES[][8] = {
    [WARPLD_NOTE] = "note",   [WARPLD_INFO] = "info",   [WARPLD_WARNING] = "warning",
    [WARPLD_ERROR] = "error", [WARPLD_FATAL] = "fatal",
};

static json_t *object_of(struct arena *arena, const struct message *message)
{
    json_t *object = json_made(arena, json_object());
    struct input_name input = {NULL, NULL};
    if (message->input)
        input = input_name_split(arena, message->input);
    json_set_text(arena, object, "severity", SEVERITIES[message->severity]);
    json_set_text(arena, object, "code", message->code);
    json_set_text(arena, object, "text", message->text);
    json_set_text(arena, object, "input", input.file);
    json_set_text(arena, object, "member", input.member);
    json_set_text(arena, object, "symbol", message->symbol);
    json_set_text(arena, object, "readable", message->readable);
    json_set_text(arena, object, "section", message->section);
    json_set_text(arena, object, "target", message->target);
    json_t *notes = json_made(arena, json_array());
    json_set(arena, object, "notes", notes);
    return object;
}

char *json_line_of(struct arena *arena, const struct message *message)
{
    json_t *object = object_of(arena, message);
    json_t *notes = json_object_get(object, "notes");
    for (uint32_t i = 0; i < message->notes_count; i++)
        json_append(arena, notes, object_of(arena, &message->notes[i]));
    char *line = json_escape_del(json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII));
    json_decref(object);
    if (!line)
        arena_give_up(arena);
    return line;
}
