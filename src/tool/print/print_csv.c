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

static void print_headings(const struct listing *listing, const char *key)
{
    const struct row *row = &listing->rows[0];
    fputs(key, stdout);
    for (size_t i = 0; i < row->fact_count; i++)
        printf(",%s", row_facts(listing, row)[i].key);
    puts("");
}

void print_csv(const struct listing *listing, const char *key, const char *value,
               bool *has_headings)
{
    struct arena arena;
    tool_arena_init(&arena);
    if (!*has_headings && listing->rows_count)
        print_headings(listing, key);
    *has_headings |= listing->rows_count != 0;
    for (size_t i = 0; i < listing->rows_count; i++) {
        const struct row *row = &listing->rows[i];
        print_value(value);
        for (size_t k = 0; k < row->fact_count; k++) {
            const struct fact *fact = &row_facts(listing, row)[k];
            putchar(',');
            if (fact->kind != FACT_ABSENT)
                print_value(fact_text(&arena, fact));
        }
        puts("");
    }
    arena_destroy(&arena);
}
