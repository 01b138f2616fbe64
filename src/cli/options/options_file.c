/* Options files; see options_file.h. */
#include "cli/options/options_file.h"

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

const char *word_source_value(struct word_source *source)
{
    struct open_words *words = &source->open[source->depth - 1];
    return words->next < words->count ? words->words[words->next++] : NULL;
}

bool word_source_has_value(const struct word_source *source)
{
    const struct open_words *words = &source->open[source->depth - 1];
    return words->next < words->count && words->words[words->next][0] != '-';
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
    const char *stray; /* what the text ends within; NULL: nothing */
    GROWING_ARRAY(const char *, words);
};

static bool is_blank(uint8_t character)
{
    return character && strchr(" \t\r\n", character);
}

/* One word with its quotes into `word`, which has room for the rest of the text. */
static size_t read_word(struct word_reader *reader, char *word)
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
        word[size++] = (char)character;
    }
    if (quoted && !reader->stray)
        reader->stray = "\"";
    return size;
}

/* Where only escaped blanks are, there is no word. */
static struct bytes without_blanks(char *word, size_t size)
{
    while (size && is_blank((uint8_t)*word)) {
        word++;
        size--;
    }
    while (size && is_blank((uint8_t)word[size - 1]))
        size--;
    return (struct bytes){(const uint8_t *)word, size};
}

/* They go when the word is complete, and so the escaped ones, too; but one stays behind a backslash
 * (observed). */
static void add_without_quotes(struct word_reader *reader, struct bytes word)
{
    char *kept = ARENA_ARRAY(reader->arena, char, word.size + 1);
    *ARENA_APPEND(reader->arena, reader, words) = kept;
    for (uint64_t i = 0; i < word.size; i++)
        if (word.data[i] != '"' || (i && word.data[i - 1] == '\\'))
            *kept++ = (char)word.data[i];
}

static void read_words(struct word_reader *reader)
{
    char *room = ARENA_ARRAY(reader->arena, char, reader->end - reader->next + 1);
    for (;;) {
        while (reader->next < reader->end && is_blank(*reader->next))
            reader->next++;
        if (reader->next == reader->end)
            return;
        struct bytes word = without_blanks(room, read_word(reader, room));
        if (word.size)
            add_without_quotes(reader, word);
    }
}

/* The first NUL (observed). */
static const uint8_t *end_of_text(struct bytes bytes)
{
    const uint8_t *end = memchr(bytes.data, 0, (size_t)bytes.size);
    return end ? end : bytes.data + bytes.size;
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
    reader.end = reader.next ? end_of_text(file.bytes) : reader.next;
    read_words(&reader);
    remember_file(source, path, file.bytes);
    file_unmap(&file);
    if (reader.stray)
        return arena_format(source->arena, "Stray '%s' character", reader.stray);
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
