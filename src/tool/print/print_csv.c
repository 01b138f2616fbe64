/* Prints rows as comma-separated values; see print.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/print/print.h"

/* A value with a comma, a quote or a line end is quoted. */
static void print_value(const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
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

/* The keys of all rows: each row has some of them, in this order. */
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

/* A key that no row had before follows the key before it in its row. */
static void add_columns(struct columns *columns, const struct fact *facts, size_t count)
{
    size_t next = 0; /* position after the key before */
    for (size_t i = 0; i < count; i++) {
        size_t at = next;
        while (at < columns->keys_count && strcmp(columns->keys[at], facts[i].key) != 0)
            at++;
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

static void print_row(const struct columns *columns, const struct fact *facts, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < columns->keys_count; i++) {
        if (i)
            putchar(',');
        if (next == count || strcmp(columns->keys[i], facts[next].key) != 0)
            continue;
        if (facts[next].kind != FACT_ABSENT)
            print_value(fact_text(columns->arena, &facts[next]));
        next++;
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
            print_value(value);
            putchar(',');
        }
        print_row(&columns, row_facts(listing, &listing->rows[i]), listing->rows[i].fact_count);
    }
    arena_destroy(&arena);
}
