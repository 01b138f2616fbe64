/* Options files; see options_file.h. */
#include "cli/options/options_file.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

void argument_source_init(struct argument_source *source, struct arena *arena, int argc,
                          char **argv)
{
    *source = (struct argument_source){.arena = arena};
    source->open[0] = (struct open_arguments){(const char **)argv, (size_t)argc, argc ? 1 : 0};
    source->depth = 1;
}

const char *argument_source_next(struct argument_source *source)
{
    while (source->depth) {
        struct open_arguments *arguments = &source->open[source->depth - 1];
        if (arguments->next < arguments->count)
            return arguments->arguments[arguments->next++];
        source->depth--;
    }
    return NULL;
}

const char *argument_source_value(struct argument_source *source)
{
    struct open_arguments *arguments = &source->open[source->depth - 1];
    return arguments->next < arguments->count ? arguments->arguments[arguments->next++] : NULL;
}

bool argument_source_has_value(const struct argument_source *source)
{
    const struct open_arguments *arguments = &source->open[source->depth - 1];
    return arguments->next < arguments->count && arguments->arguments[arguments->next][0] != '-';
}

bool argument_source_can_open(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The state while the text of an options file is split into arguments. */
struct argument_reader {
    struct arena *arena;
    const uint8_t *next;
    const uint8_t *end;
    /* "\"": the text ends within quotes; "": it ends with a backslash; NULL: neither */
    const char *stray;
    GROWING_ARRAY(const char *, arguments);
};

static bool is_blank(uint8_t character)
{
    return character && strchr(" \t\r\n", character);
}

/* Copies the next argument, with its quotes, to `argument`, which must have space for the rest of
 * the text. Returns the argument's size. */
static size_t read_argument(struct argument_reader *reader, char *argument)
{
    size_t size = 0;
    bool quoted = false;
    while (reader->next < reader->end && (quoted || !is_blank(*reader->next))) {
        uint8_t character = *reader->next++;
        if (character == '\\' && reader->next == reader->end)
            reader->stray = "";
        else if (character == '\\')
            character = *reader->next++;
        else if (character == '"')
            quoted = !quoted;
        argument[size++] = (char)character;
    }
    if (quoted && !reader->stray)
        reader->stray = "\"";
    return size;
}

/* Removes blanks from both ends of the argument, even if they were escaped. An argument of escaped
 * blanks only therefore becomes empty, and is ignored. */
static struct bytes without_blanks(char *argument, size_t size)
{
    while (size && is_blank((uint8_t)*argument)) {
        argument++;
        size--;
    }
    while (size && is_blank((uint8_t)argument[size - 1]))
        size--;
    return (struct bytes){(const uint8_t *)argument, size};
}

/* Adds the argument without its quotes. Escapes in it are already replaced, so an escaped quote is
 * removed, too. A quote is kept only after a backslash that was itself escaped (observed with
 * nvlink). */
static void add_without_quotes(struct argument_reader *reader, struct bytes argument)
{
    char *kept = ARENA_ARRAY(reader->arena, char, argument.size + 1);
    *ARENA_APPEND(reader->arena, reader, arguments) = kept;
    for (uint64_t i = 0; i < argument.size; i++)
        if (argument.data[i] != '"' || (i && argument.data[i - 1] == '\\'))
            *kept++ = (char)argument.data[i];
}

static void read_arguments(struct argument_reader *reader)
{
    char *buffer = ARENA_ARRAY(reader->arena, char, reader->end - reader->next + 1);
    for (;;) {
        while (reader->next < reader->end && is_blank(*reader->next))
            reader->next++;
        if (reader->next == reader->end)
            return;
        struct bytes argument = without_blanks(buffer, read_argument(reader, buffer));
        if (argument.size)
            add_without_quotes(reader, argument);
    }
}

/* nvlink reads an options file only up to the first NUL (observed). */
static const uint8_t *end_of_text(struct bytes bytes)
{
    const uint8_t *end = memchr(bytes.data, 0, (size_t)bytes.size);
    return end ? end : bytes.data + bytes.size;
}

static void record_file(struct argument_source *source, const char *path, struct bytes contents)
{
    const char *text =
        contents.size ? (const char *)contents.data : ""; /* data is NULL for an empty file */
    const char *copy = arena_copy_string(source->arena, text, (size_t)contents.size);
    *ARENA_APPEND(source->arena, source, files) =
        (struct options_file){path, {(const uint8_t *)copy, contents.size}};
}

const char *argument_source_open(struct argument_source *source, const char *path)
{
    struct mapped_file file;
    if (source->depth == MOST_OPEN_FILES)
        return arena_format(source->arena, "Too many options file opened '%s'", path);
    if (file_map(&file, path))
        return arena_format(source->arena, "Could not open options file '%s'", path);
    struct argument_reader reader = {.arena = source->arena, .next = file.bytes.data};
    reader.end = reader.next ? end_of_text(file.bytes) : reader.next;
    read_arguments(&reader);
    record_file(source, path, file.bytes);
    file_unmap(&file);
    if (reader.stray)
        return arena_format(source->arena, "Stray '%s' character", reader.stray);
    source->open[source->depth++] =
        (struct open_arguments){reader.arguments, reader.arguments_count, 0};
    return NULL;
}

void argument_source_turn(struct argument_source *source, int first)
{
    for (int low = first, high = source->depth; low + 1 < high; low++) {
        struct open_arguments arguments = source->open[low];
        source->open[low] = source->open[--high];
        source->open[high] = arguments;
    }
}
