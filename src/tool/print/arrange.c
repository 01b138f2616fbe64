/* Sorts and filters rows; see arrange.h. */
#include "tool/print/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"

/* Whether the whole text matches the pattern. After a mismatch, matching restarts from the last
 * '*', never from an earlier one. So the time is at most proportional to the product of the
 * lengths. */
static bool matches_whole(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

bool pattern_matches(const char *pattern, const char *text)
{
    if (!pattern[strcspn(pattern, "*?")])
        return strstr(text, pattern) != NULL;
    return matches_whole(pattern, text);
}

static const struct fact *find_fact(const struct listing *listing, const struct row *row,
                                    const char *key)
{
    const struct fact *facts = row_facts(listing, row);
    for (unsigned i = 0; i < row->fact_count; i++)
        if (!strcmp(facts[i].key, key))
            return &facts[i];
    return NULL;
}

static bool row_matches(const struct listing *listing, const struct row *row, const char *pattern,
                        const char *const *keys, size_t key_count)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct fact *fact = find_fact(listing, row, keys[i]);
        if (fact && fact->kind == FACT_TEXT && pattern_matches(pattern, fact->value.text))
            return true;
    }
    return false;
}

static void filter_rows(struct listing *listing, const char *pattern, const char *const *keys,
                        size_t key_count)
{
    uint32_t count = 0;
    for (size_t i = 0; i < listing->rows_count; i++)
        if (row_matches(listing, &listing->rows[i], pattern, keys, key_count))
            listing->rows[count++] = listing->rows[i];
    listing->rows_count = count;
}

/* ---------------------------------------------------------------------------------------------- */
/* Sorting                                                                                        */

struct sorted_row {
    struct row row;
    const struct fact *fact; /* the row's fact with the key of the column; NULL: none */
    size_t position;         /* position before sorting; decides between equal values */
    bool is_reversed;
};

static bool is_present(const struct sorted_row *row)
{
    return row->fact && row->fact->kind != FACT_ABSENT;
}

static int compare_values(const struct fact *x, const struct fact *y)
{
    if (x->kind == FACT_TEXT && y->kind == FACT_TEXT)
        return strcmp(x->value.text, y->value.text);
    /* A text, such as "unlimited", counts as larger than any number. */
    if (x->kind == FACT_TEXT || y->kind == FACT_TEXT)
        return x->kind == FACT_TEXT ? -1 : 1;
    return x->value.number > y->value.number ? -1 : x->value.number < y->value.number;
}

static int compare_rows(const void *a, const void *b)
{
    const struct sorted_row *x = a, *y = b;
    int order = is_present(y) - is_present(x);
    if (!order && is_present(x))
        order =
            x->is_reversed ? compare_values(y->fact, x->fact) : compare_values(x->fact, y->fact);
    return order ? order : x->position < y->position ? -1 : x->position > y->position;
}

static void sort_rows(struct listing *listing, const char *column, bool is_reversed)
{
    struct sorted_row *rows = ARENA_ARRAY(listing->arena, struct sorted_row, listing->rows_count);
    for (size_t i = 0; i < listing->rows_count; i++)
        rows[i] = (struct sorted_row){
            listing->rows[i], find_fact(listing, &listing->rows[i], column), i, is_reversed};
    if (listing->rows_count)
        qsort(rows, listing->rows_count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < listing->rows_count; i++)
        listing->rows[i] = rows[i].row;
}

static void report_unknown_column(const struct listing *listing, const char *column)
{
    const char *names = "";
    const struct row *row = &listing->rows[0];
    for (unsigned i = 0; i < row->fact_count; i++)
        names = arena_format(listing->arena, "%s%s%s", names, i ? ", " : "",
                             row_facts(listing, row)[i].key);
    tool_error("there is no column %s to sort by; columns: %s", column, names);
}

bool listing_arrange(struct listing *listing, const struct tool_options *options,
                     const char *const *keys, size_t key_count)
{
    const char *column = options->sort;
    bool is_reversed = column && *column == '-';
    if (is_reversed)
        column++;
    if (column && listing->rows_count && !find_fact(listing, &listing->rows[0], column)) {
        report_unknown_column(listing, column);
        return false;
    }
    if (options->filter)
        filter_rows(listing, options->filter, keys, key_count);
    if (column)
        sort_rows(listing, column, is_reversed);
    return true;
}
