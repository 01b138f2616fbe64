/* Reads the targets of a device link; see targets.h. */
#include "cli/device_link/targets.h"

#include <stdbool.h>
#include <string.h>

#include "warpld.h"

static bool is_virtual(const char *name)
{
    return !strncmp(name, "compute_", strlen("compute_"));
}

static const char *add_target(struct targets *targets, struct arena *arena, const char *name)
{
    if (is_virtual(name))
        return NULL;
    if (!warpld_knows_architecture(name))
        return arena_format(arena, "Unknown arch name '%s'", name);
    for (size_t i = 0; i < targets->names_count; i++)
        if (!strcmp(targets->names[i], name))
            return NULL;
    *ARENA_APPEND(arena, targets, names) = name;
    return NULL;
}

/* Adds the targets of a comma-separated list. As in nvcc, brackets and quotes may enclose the list
 * or its targets. */
static const char *add_list(struct targets *targets, struct arena *arena, const char *text)
{
    static const char AROUND[] = "[]\"'";
    for (const char *problem; *text; text += *text == ',') {
        text += strspn(text, AROUND);
        size_t size = strcspn(text, ",[]\"'");
        if (size && (problem = add_target(targets, arena, arena_copy_string(arena, text, size))))
            return problem;
        text += size;
        text += strspn(text, AROUND);
    }
    return NULL;
}

/* Adds the targets after "code=" in a value of --gencode, such as
 * "arch=compute_90,code=[sm_90,compute_90]". A value without "code=" is an error. */
static const char *add_generated(struct targets *targets, struct arena *arena, const char *text)
{
    static const char CODE[] = "code=";
    const char *code = strstr(text, CODE);
    if (code)
        return add_list(targets, arena, code + strlen(CODE));
    return arena_format(arena, "Value '%s' of option '--gencode' has no 'code='", text);
}

/* Calls `add` for each value of an option. Returns the first problem, or NULL. */
static const char *add_values(struct targets *targets, const struct command_line *line,
                              enum option_id option,
                              const char *add(struct targets *, struct arena *, const char *))
{
    const struct option_value *values = &line->options[option];
    const char *problem = NULL;
    for (size_t i = 0; i < values->items_count && !problem; i++)
        problem = add(targets, line->arena, values->items[i]);
    return problem;
}

const char *targets_read(struct targets *targets, const struct command_line *line)
{
    const char *architecture = command_line_text(line, OPTION_ARCHITECTURE);
    *targets = (struct targets){.names = NULL};
    const char *problem = add_values(targets, line, OPTION_GENCODE, add_generated);
    if (!problem)
        problem = add_values(targets, line, OPTION_CODE, add_list);
    if (!problem && architecture && !line->options[OPTION_CODE].items_count)
        problem = add_list(targets, line->arena, architecture);
    if (problem || targets->names_count)
        return problem;
    return "A device link needs a real target, such as --arch=sm_90,sm_100";
}

/* --------------------------------------------------------------------------------------------- */
/* Names of files                                                                                */

static const char MARK[] = "%a";

bool targets_are_in_name(const char *pattern)
{
    return strstr(pattern, MARK);
}

const char *target_file_name(struct arena *arena, const char *pattern, const char *target)
{
    const char *mark = strstr(pattern, MARK);
    return mark ? arena_format(arena, "%.*s%s%s", (int)(mark - pattern), pattern, target,
                               mark + strlen(MARK))
                : pattern;
}
