/* Writes the command line of a saved link; see saved_arguments.h.
 *
 * The arguments keep their order, except that arguments with double quotes are in the script
 * link.sh. File names are replaced by the saved names. */
#include "cli/save/saved_arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --------------------------------------------------------------------------------------------- */
/* Names                                                                                         */

/* Returns the file name without its folder. Of a long name, returns only the end, because it
 * contains the suffix. */
static const char *base_name(const char *path)
{
    enum { LONGEST = 200 };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name);
    return size > LONGEST ? name + size - LONGEST : name;
}

/* Returns the base name of the file, with '_' in place of double quotes, because an options file
 * would drop them. */
static const char *saved_name(struct arena *arena, const char *path)
{
    const char *name = base_name(path);
    char *copy = arena_copy_string(arena, name, strlen(name));
    for (char *next = copy; (next = strchr(next, '"'));)
        *next = '_';
    return copy;
}

/* Returns a prefix for a saved name. The linker recognises the device runtime by "libcudadevrt"
 * anywhere in its path. If only the folder of `path` contains this text, the prefix contains it,
 * too. */
static const char *runtime_mark(const char *path)
{
    static const char RUNTIME[] = "libcudadevrt";
    return strstr(path, RUNTIME) && !strstr(base_name(path), RUNTIME) ? "libcudadevrt-" : "";
}

const char *saved_input_name(struct arena *arena, size_t index, const char *path)
{
    return arena_format(arena, "inputs/%zu-%s%s", index + 1, runtime_mark(path),
                        saved_name(arena, path));
}

const char *saved_option_file_name(const struct command_line *line, enum option_id id)
{
    const char *path = command_line_text(line, id);
    return path ? arena_format(line->arena, "inputs/%s-%s", option_long_name(id),
                               saved_name(line->arena, path))
                : NULL;
}

const char *saved_limits_name(const struct command_line *line,
                              const struct given_argument *argument)
{
    const char *path = argument->id == OPTION_LIMIT ? option_limit_file(argument->value) : NULL;
    return path ? arena_format(line->arena, "inputs/limit-%td-%s", argument - line->given + 1,
                               saved_name(line->arena, path))
                : NULL;
}

const char *saved_options_file_name(struct arena *arena, size_t index, const char *path)
{
    return arena_format(arena, "options/%zu-%s", index + 1, base_name(path));
}

const char *saved_library_folder(struct arena *arena, size_t index)
{
    return arena_format(arena, "libraries/%zu", index + 1);
}

/* Returns NULL for a library that -l names with a slash, because the saved link has no folder for
 * it. */
const char *saved_library_name(const struct command_line *line, const char *path)
{
    for (size_t i = 0; i < line->folders_count; i++) {
        size_t size = strlen(line->folders[i]);
        const char *name = path + size + 1;
        if (!strncmp(path, line->folders[i], size) && path[size] == '/' && !strchr(name, '/'))
            return arena_format(line->arena, "%s/%s", saved_library_folder(line->arena, i), name);
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Arguments                                                                                     */

/* The meaning of an option's value, which decides how the value is saved. */
enum meaning {
    PLAIN,
    LEFT_OUT, /* the option is not saved */
    OUTPUT,   /* an output file, or "-" for standard output */
    /* the path of a program, library or folder; it is made absolute, because link.sh runs in
     * another folder */
    FOUND,
    COMPILER, /* the name of a compiler, or a path like that of FOUND */
    OWN_FILE, /* a file that the option reads; it is saved */
    LIMITS,   /* a limit, or @ and the name of a file with limits; the file is saved */
};

static enum meaning meaning_of(enum option_id id)
{
    switch (id) {
    case OPTION_SAVE_INPUTS:
    case OPTION_LIBRARY_PATH:
    case OPTION_CACHE_DIR:
    case OPTION_CACHE_SIZE:
    case OPTION_CACHE_URL:
        return LEFT_OUT;
    case OPTION_OUTPUT:
    case OPTION_REGISTER_LINK_BINARIES:
    case OPTION_TIME:
    case OPTION_DOT_FILE:
    case OPTION_DIAGNOSTICS_FILE:
    case OPTION_DEPENDENCY_FILE:
    case OPTION_MAP:
    case OPTION_REPORT:
        return OUTPUT;
    case OPTION_PTXAS_PATH:
    case OPTION_NVVM_PATH:
    case OPTION_NVJITLINK_PATH:
        return FOUND;
    case OPTION_PTX_COMPILER:
    case OPTION_HOST_CCBIN:
        return COMPILER;
    case OPTION_NV_HOST:
    case OPTION_UNIFIED_INDEX:
        return OWN_FILE;
    case OPTION_LIMIT:
        return LIMITS;
    default:
        return PLAIN;
    }
}

static const char *output_name(struct arena *arena, enum option_id id, const char *value)
{
    if (!strcmp(value, "-"))
        return value;
    if (id == OPTION_OUTPUT)
        return arena_format(arena, "output/%s", saved_name(arena, value));
    return arena_format(arena, "output/%s-%s", option_long_name(id), saved_name(arena, value));
}

static const char *absolute_path(struct arena *arena, const char *path)
{
    char resolved[PATH_MAX];
    return realpath(path, resolved) ? arena_copy_string(arena, resolved, strlen(resolved)) : path;
}

static const char *saved_limits_value(const struct command_line *line,
                                      const struct given_argument *argument)
{
    const char *name = saved_limits_name(line, argument);
    return name ? arena_join(line->arena, "@", name) : argument->value;
}

static const char *saved_value(const struct command_line *line,
                               const struct given_argument *argument)
{
    switch (meaning_of(argument->id)) {
    case OUTPUT:
        return output_name(line->arena, argument->id, argument->value);
    case FOUND:
        return absolute_path(line->arena, argument->value);
    case COMPILER:
        return strchr(argument->value, '/') ? absolute_path(line->arena, argument->value)
                                            : argument->value;
    case OWN_FILE:
        return saved_option_file_name(line, argument->id);
    case LIMITS:
        return saved_limits_value(line, argument);
    default:
        return argument->value;
    }
}

static void write_escaped(FILE *file, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\')
            putc('\\', file);
        putc(text[i], file);
    }
}

/* Writes an argument in the syntax of options files: in double quotes, with doubled backslashes.
 * Backslashes at the end of the argument are written after the closing quote, because a quote that
 * follows a backslash would become part of the argument. */
static void write_argument(FILE *file, const char *argument)
{
    size_t size = strlen(argument), end = size;
    while (end && argument[end - 1] == '\\')
        end--;
    putc('"', file);
    write_escaped(file, argument, end);
    putc('"', file);
    write_escaped(file, argument + end, size - end);
    putc('\n', file);
}

static const char *option_argument(const struct command_line *line,
                                   const struct given_argument *argument)
{
    const char *name = option_long_name(argument->id);
    return argument->value ? arena_format(line->arena, "--%s=%s", name, saved_value(line, argument))
                           : arena_format(line->arena, "--%s", name);
}

/* Whether the argument is an option that is saved. */
static bool is_option(const struct given_argument *argument)
{
    return argument->id != OPTION_COUNT && meaning_of(argument->id) != LEFT_OUT;
}

const char *saved_argument_with_quotes(const struct command_line *line,
                                       const struct given_argument *argument)
{
    const char *text = is_option(argument) ? option_argument(line, argument) : "";
    return strchr(text, '"') ? text : NULL;
}

static void write_arguments(FILE *file, const struct command_line *line)
{
    struct arena *arena = line->arena;
    size_t input = 0;
    for (size_t i = 0; i < line->given_count; i++) {
        const struct given_argument *argument = &line->given[i];
        if (argument->id == OPTION_COUNT)
            write_argument(file, saved_input_name(arena, input++, argument->value));
        else if (is_option(argument) && !saved_argument_with_quotes(line, argument))
            write_argument(file, option_argument(line, argument));
    }
    for (size_t i = 0; i < line->folders_count; i++)
        write_argument(file,
                       arena_format(arena, "--library-path=%s", saved_library_folder(arena, i)));
}

int saved_arguments_write(const char *path, const struct command_line *line)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return errno;
    write_arguments(file, line);
    bool failed = ferror(file) != 0;
    return fclose(file) || failed ? EIO : 0;
}
