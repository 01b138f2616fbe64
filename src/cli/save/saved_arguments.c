/* Writes the command line of a saved link; see saved_arguments.h.
 *
 * Words keep their order, but for those with quotes, which stand in the script; those that name
 * files get the saved names. */
#include "cli/save/saved_arguments.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --------------------------------------------------------------------------------------------- */
/* Names                                                                                         */

/* Of a long name the end, which has the suffix. */
static const char *base_name(const char *path)
{
    enum { LONGEST = 200 };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name);
    return size > LONGEST ? name + size - LONGEST : name;
}

/* The same without quotes, which would be lost in an options file. */
static const char *saved_name(struct arena *arena, const char *path)
{
    const char *name = base_name(path);
    char *copy = arena_copy_string(arena, name, strlen(name));
    for (char *next = copy; (next = strchr(next, '"'));)
        *next = '_';
    return copy;
}

/* The name of the device runtime counts, also when a folder has it. */
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

const char *saved_options_file_name(struct arena *arena, size_t index, const char *path)
{
    return arena_format(arena, "options/%zu-%s", index + 1, base_name(path));
}

const char *saved_library_folder(struct arena *arena, size_t index)
{
    return arena_format(arena, "libraries/%zu", index + 1);
}

/* A name of -l with a slash would be below a folder that is not there. */
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
/* Words                                                                                         */

/* What an option's value says. */
enum meaning {
    PLAIN,
    LEFT_OUT, /* the saved link does without it */
    OUTPUT,   /* a file that is written, or - */
    PROGRAM,  /* found from any folder when its path is absolute */
    OWN_FILE, /* a file that is read, and is no input */
};

static enum meaning meaning_of(enum option_id id)
{
    switch (id) {
    case OPTION_SAVE_INPUTS:
    case OPTION_LIBRARY_PATH:
        return LEFT_OUT;
    case OPTION_OUTPUT:
    case OPTION_REGISTER_LINK_BINARIES:
    case OPTION_TIME:
    case OPTION_DOT_FILE:
        return OUTPUT;
    case OPTION_PTXAS_PATH:
        return PROGRAM;
    case OPTION_NV_HOST:
    case OPTION_UNIFIED_INDEX:
        return OWN_FILE;
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

static const char *saved_value(const struct command_line *line, const struct given_word *word)
{
    switch (meaning_of(word->id)) {
    case OUTPUT:
        return output_name(line->arena, word->id, word->value);
    case PROGRAM:
        return absolute_path(line->arena, word->value);
    case OWN_FILE:
        return saved_option_file_name(line, word->id);
    default:
        return word->value;
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

/* One word, as options files quote: double quotes group, a backslash takes what follows. A quote
 * behind a backslash would stay in the word. */
static void write_word(FILE *file, const char *word)
{
    size_t size = strlen(word), end = size;
    while (end && word[end - 1] == '\\')
        end--;
    putc('"', file);
    write_escaped(file, word, end);
    putc('"', file);
    write_escaped(file, word + end, size - end);
    putc('\n', file);
}

static const char *option_word(const struct command_line *line, const struct given_word *word)
{
    const char *name = option_long_name(word->id);
    return word->value ? arena_format(line->arena, "--%s=%s", name, saved_value(line, word))
                       : arena_format(line->arena, "--%s", name);
}

/* The saved link does not do without it. */
static bool is_option(const struct given_word *word)
{
    return word->id != OPTION_COUNT && meaning_of(word->id) != LEFT_OUT;
}

const char *saved_word_with_quotes(const struct command_line *line, const struct given_word *word)
{
    const char *text = is_option(word) ? option_word(line, word) : "";
    return strchr(text, '"') ? text : NULL;
}

static void write_words(FILE *file, const struct command_line *line)
{
    struct arena *arena = line->arena;
    size_t input = 0;
    for (size_t i = 0; i < line->given_count; i++) {
        const struct given_word *word = &line->given[i];
        if (word->id == OPTION_COUNT)
            write_word(file, saved_input_name(arena, input++, word->value));
        else if (is_option(word) && !saved_word_with_quotes(line, word))
            write_word(file, option_word(line, word));
    }
    for (size_t i = 0; i < line->folders_count; i++)
        write_word(file, arena_format(arena, "--library-path=%s", saved_library_folder(arena, i)));
}

int saved_arguments_write(const char *path, const struct command_line *line)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return errno;
    write_words(file, line);
    bool failed = ferror(file) != 0;
    return fclose(file) || failed ? EIO : 0;
}
