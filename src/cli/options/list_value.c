/* Values that are lists; see list_value.h. */
#include "cli/options/list_value.h"

#include <stdbool.h>
#include <string.h>

struct list_syntax {
    char separator;
    bool keeps_quotes;
    bool has_escapes;
};

struct list_reader {
    const struct list_syntax *syntax;
    const char *next;
    bool ends_in_quotes;
    bool ends_in_escape;
};

/* Whether the next character is a quote that opens or closes a quoted part. In an option's list
 * (without has_escapes), a quote that follows a backslash does not close a quoted part. */
static bool is_quote(const struct list_reader *reader, bool quoted)
{
    return *reader->next == '"' &&
           (reader->syntax->has_escapes || !quoted || reader->next[-1] != '\\');
}

/* Copies the next item to `item`, which must have space for the rest of the text. Returns the
 * item's size. */
static size_t read_item(struct list_reader *reader, char *item)
{
    const struct list_syntax *syntax = reader->syntax;
    size_t size = 0;
    bool quoted = false;
    for (; *reader->next && (quoted || *reader->next != syntax->separator); reader->next++) {
        if (is_quote(reader, quoted)) {
            quoted = !quoted;
            if (!syntax->keeps_quotes)
                continue;
        } else if (syntax->has_escapes && *reader->next == '\\') {
            reader->ends_in_escape = !reader->next[1];
            if (reader->ends_in_escape)
                continue;
            reader->next++;
        }
        item[size++] = *reader->next;
    }
    reader->ends_in_quotes = quoted;
    return size;
}

static void add_item(struct list_value *list, struct arena *arena, const char *item, size_t size)
{
    const char *end = item + size;
    while (item < end && (*item == ' ' || *item == '\t'))
        item++;
    while (item < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (item < end)
        *ARENA_APPEND(arena, list, items) = arena_copy_string(arena, item, (size_t)(end - item));
}

static const char *read_list(struct list_value *list, struct arena *arena, const char *text,
                             const struct list_syntax *syntax)
{
    struct list_reader reader = {.syntax = syntax, .next = text};
    char *item = ARENA_ARRAY(arena, char, strlen(text) + 1);
    while (*reader.next) {
        add_item(list, arena, item, read_item(&reader, item));
        reader.next += *reader.next != 0;
    }
    if (reader.ends_in_escape)
        return "Stray '' character";
    return reader.ends_in_quotes ? "Stray '\"' character" : NULL;
}

const char *list_value_read(struct list_value *list, struct arena *arena, const char *text)
{
    return read_list(list, arena, text, &(struct list_syntax){.separator = ','});
}

const char *folder_list_read(struct list_value *list, struct arena *arena, const char *text)
{
    static const struct list_syntax FOLDERS = {':', .keeps_quotes = true, .has_escapes = true};
    return read_list(list, arena, text, &FOLDERS);
}
