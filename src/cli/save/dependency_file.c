/* Writes the file of --dependency-file; see dependency_file.h. */
#include "cli/save/dependency_file.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"

void dependencies_init(struct dependencies *dependencies, struct arena *arena)
{
    dependencies->arena = arena;
    name_table_init(&dependencies->files, arena, sizeof(struct name));
}

static void add(struct dependencies *dependencies, const char *path)
{
    bool is_stream = !path || !*path || !strcmp(path, "-");
    if (!is_stream && !name_table_find(&dependencies->files, path))
        name_table_intern(&dependencies->files,
                          arena_copy_string(dependencies->arena, path, strlen(path)));
}

void dependencies_add_line(struct dependencies *dependencies, const struct command_line *line)
{
    for (size_t i = 0; i < line->inputs_count; i++)
        add(dependencies, line->inputs[i]);
    add(dependencies, command_line_text(line, OPTION_NV_HOST));
    add(dependencies, command_line_text(line, OPTION_UNIFIED_INDEX));
    const struct option_value *limits = &line->options[OPTION_LIMIT];
    for (size_t i = 0; i < limits->items_count; i++)
        add(dependencies, option_limit_file(limits->items[i]));
}

void dependencies_add_link(struct dependencies *dependencies, struct warpld_link *link)
{
    struct warpld_read_file file = {.size = sizeof file};
    for (size_t i = 0; warpld_get_read_file(link, i, &file) == WARPLD_OK; i++)
        if (file.kind != WARPLD_FILE_INPUT && !file.missing)
            add(dependencies, file.path);
}

/* --------------------------------------------------------------------------------------------- */
/* The text                                                                                      */

/* Returns the name in the syntax of make: a backslash precedes each special character, and each
 * dollar sign is doubled. */
static const char *escaped(struct arena *arena, const char *name)
{
    char *text = arena_alloc(arena, 2 * strlen(name) + 1), *end = text;
    for (; *name; name++) {
        if (*name == '$')
            *end++ = '$';
        else if (strchr(" \t#:", *name))
            *end++ = '\\';
        *end++ = *name;
    }
    *end = 0;
    return text;
}

struct text {
    GROWING_ARRAY(char, bytes);
};

static void append(struct arena *arena, struct text *text, const char *more)
{
    for (; *more; more++)
        *ARENA_APPEND(arena, text, bytes) = *more;
}

int dependencies_write(const struct dependencies *dependencies, const char *path,
                       const char *const *outputs, size_t outputs_count)
{
    struct arena *arena = dependencies->arena;
    struct text text = {.bytes = NULL};
    for (size_t i = 0; i < outputs_count; i++) {
        append(arena, &text, i ? " " : "");
        append(arena, &text, escaped(arena, outputs[i]));
    }
    append(arena, &text, ":");
    for (uint32_t i = 1; i <= dependencies->files.count; i++) {
        const struct name *file = name_table_entry(&dependencies->files, i);
        append(arena, &text, " \\\n  ");
        append(arena, &text, escaped(arena, file->text));
    }
    append(arena, &text, "\n");
    return file_replace(path, (struct bytes){(const uint8_t *)text.bytes, text.bytes_count});
}

const char *dependencies_write_for(const struct command_line *line, struct arena *arena,
                                   struct warpld_link *link)
{
    const char *path = command_line_text(line, OPTION_DEPENDENCY_FILE);
    const char *output = command_line_text(line, OPTION_OUTPUT);
    struct dependencies dependencies;
    if (!path)
        return NULL;
    dependencies_init(&dependencies, arena);
    dependencies_add_line(&dependencies, line);
    dependencies_add_link(&dependencies, link);
    return dependencies_write(&dependencies, path, &output, 1) ? path : NULL;
}
