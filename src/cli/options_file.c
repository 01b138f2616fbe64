/* Options files; see options_file.h. */
#include "cli/options_file.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

void word_source_init(struct word_source *source, struct arena *arena, int argc, char **argv)
{
    *source = (struct word_source){.arena = arena};
    source->open[0] = (struct open_words){(const char **)argv, (size_t)argc, argc ? 1 : 0};
    source->depth = 1;
}

const char *word_source_next(struct word_source *source)
{
    while (source->depth) {
        struct open_words *words = &source->open[source->depth - 1];
        if (words->next < words->count)
            return words->words[words->next++];
        source->depth--;
    }
    return NULL;
}

bool word_source_has_value(const struct word_source *source)
{
    int depth = source->depth;
    while (depth && source->open[depth - 1].next == source->open[depth - 1].count)
        depth--;
    if (!depth)
        return false;
    const struct open_words *words = &source->open[depth - 1];
    return words->words[words->next][0] != '-';
}

bool word_source_can_open(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The text of an options file while it is taken apart. */
struct word_reader {
    struct arena *arena;
    const uint8_t *next;
    const uint8_t *end;
    bool has_stray_quote;
    GROWING_ARRAY(const char *, words);
};

static bool is_blank(uint8_t character)
{
    return character && strchr(" \t\r\n", character);
}

/* One word into `word`, which has room for the rest of the text. */
static size_t read_word(struct word_reader *reader, char *word)
{
    size_t size = 0;
    bool quoted = false;
    while (reader->next < reader->end && (quoted || !is_blank(*reader->next))) {
        uint8_t character = *reader->next++;
        if (character == '"') {
            quoted = !quoted;
            continue;
        }
        if (character == '\\' && reader->next < reader->end)
            character = *reader->next++;
        word[size++] = (char)character;
    }
    reader->has_stray_quote |= quoted;
    return size;
}

static void read_words(struct word_reader *reader)
{
    char *word = ARENA_ARRAY(reader->arena, char, reader->end - reader->next + 1);
    for (;;) {
        while (reader->next < reader->end && is_blank(*reader->next))
            reader->next++;
        if (reader->next == reader->end)
            return;
        size_t size = read_word(reader, word);
        *ARENA_APPEND(reader->arena, reader, words) = arena_copy_string(reader->arena, word, size);
    }
}

static void remember_file(struct word_source *source, const char *path, struct bytes contents)
{
    const char *text = contents.size ? (const char *)contents.data : ""; /* no bytes, no address */
    const char *copy = arena_copy_string(source->arena, text, (size_t)contents.size);
    *ARENA_APPEND(source->arena, source, files) =
        (struct options_file){path, {(const uint8_t *)copy, contents.size}};
}

const char *word_source_open(struct word_source *source, const char *path)
{
    struct mapped_file file;
    if (source->depth == MOST_OPEN_FILES)
        return arena_format(source->arena, "Too many options file opened '%s'", path);
    if (file_map(&file, path))
        return arena_format(source->arena, "Could not open options file '%s'", path);
    struct word_reader reader = {.arena = source->arena, .next = file.bytes.data};
    reader.end = reader.next ? reader.next + file.bytes.size : reader.next;
    read_words(&reader);
    remember_file(source, path, file.bytes);
    file_unmap(&file);
    if (reader.has_stray_quote)
        return "Stray '\"' character";
    source->open[source->depth++] = (struct open_words){reader.words, reader.words_count, 0};
    return NULL;
}

void word_source_turn(struct word_source *source, int first)
{
    for (int low = first, high = source->depth; low + 1 < high; low++) {
        struct open_words words = source->open[low];
        source->open[low] = source->open[--high];
        source->open[high] = words;
    }
}
