/* Prints rows as comma-separated values; see print.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/print/print.h"

/* Prints a value, in quotes if it has a comma or a quote. Control characters are escaped as in text
 * output, because the table may be printed on a terminal. */
static void print_value(struct arena *arena, const char *text)
{
    text = terminal_text_show(arena, text);
    if (!text[strcspn(text, ",\"")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* The columns: each key of any row, once. A row need not have all of them. */
struct columns {
    struct arena *arena;
    GROWING_ARRAY(const char *, keys);
};

static void insert_column(struct columns *columns, size_t position, const char *key)
{
    ARENA_APPEND(columns->arena, columns, keys);
    memmove(columns->keys + position + 1, columns->keys + position,
            (columns->keys_count - 1 - position) * sizeof *columns->keys);
    columns->keys[position] = key;
}

static size_t column_of(const struct columns *columns, const char *key)
{
    size_t at = 0;
    while (at < columns->keys_count && strcmp(columns->keys[at], key) != 0)
        at++;
    return at;
}

/* Adds the new keys of a row. A new key is inserted after the key that precedes it in the row. */
static void add_columns(struct columns *columns, const struct fact *facts, size_t count)
{
    size_t next = 0; /* position for a new key: after the preceding key of the row */
    for (size_t i = 0; i < count; i++) {
        size_t at = column_of(columns, facts[i].key);
        if (at == columns->keys_count) {
            at = next;
            insert_column(columns, at, facts[i].key);
        }
        next = at + 1;
    }
}

static void print_headings(const struct columns *columns, const char *key)
{
    if (key)
        printf("%s,", key);
    for (size_t i = 0; i < columns->keys_count; i++)
        printf("%s%s", i ? "," : "", columns->keys[i]);
    puts("");
}

static const struct fact *find_fact(const struct fact *facts, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, key))
            return &facts[i];
    return NULL;
}

static void print_row(const struct columns *columns, const struct fact *facts, size_t count)
{
    for (size_t i = 0; i < columns->keys_count; i++) {
        const struct fact *fact = find_fact(facts, count, columns->keys[i]);
        if (i)
            putchar(',');
        if (fact && fact->kind != FACT_ABSENT)
            print_value(columns->arena, fact_text(columns->arena, fact));
    }
    puts("");
}

void print_csv(const struct listing *listing, const char *key, const char *value,
               bool *has_headings)
{
    struct arena arena;
    struct columns columns = {.arena = &arena};
    tool_arena_init(&arena);
    for (size_t i = 0; i < listing->rows_count; i++)
        add_columns(&columns, row_facts(listing, &listing->rows[i]), listing->rows[i].fact_count);
    if (!*has_headings && listing->rows_count)
        print_headings(&columns, key);
    *has_headings |= listing->rows_count != 0;
    for (size_t i = 0; i < listing->rows_count; i++) {
        if (key) {
            print_value(columns.arena, value);
            putchar(',');
        }
        print_row(&columns, row_facts(listing, &listing->rows[i]), listing->rows[i].fact_count);
    }
    arena_destroy(&arena);
}
