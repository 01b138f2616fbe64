/* Prints rows as text; see print.h. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/print/print.h"

/* The maximum width of a column. A longer value shifts only the cells after it in the same row. */
enum { WIDEST_COLUMN = 64 };

/* The texts of a table's cells. make_cells makes them from the rows [first, last) of a listing,
 * without the first `skip` facts of each row. */
struct cells {
    const char **texts; /* row by row */
    size_t *widths;     /* width of each column */
    bool *right;        /* for each column: it has numbers, so it is right-aligned */
    size_t columns;
};

/* Returns the width of a text on the screen: the number of its UTF-8 characters. Continuation bytes
 * are not counted. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool is_number(const struct fact *fact)
{
    return fact->kind == FACT_NUMBER || fact->kind == FACT_HEX || fact->kind == FACT_SIGNED;
}

static size_t largest_row(const struct listing *listing, size_t first, size_t last)
{
    size_t largest = 0;
    for (size_t i = first; i < last; i++)
        if (listing->rows[i].fact_count > largest)
            largest = listing->rows[i].fact_count;
    return largest;
}

static const char *cell_text(struct arena *arena, const struct fact *fact)
{
    return terminal_text_show(arena, fact_text(arena, fact));
}

static struct cells make_cells(struct arena *arena, const struct listing *listing, size_t first,
                               size_t last, size_t skip)
{
    size_t largest = largest_row(listing, first, last);
    struct cells cells = {.columns = largest > skip ? largest - skip : 0};
    cells.texts = ARENA_ARRAY(arena, const char *, cells.columns *(last - first));
    cells.widths = ARENA_ARRAY(arena, size_t, cells.columns);
    cells.right = ARENA_ARRAY(arena, bool, cells.columns);
    for (size_t i = first; i < last; i++) {
        const struct row *row = &listing->rows[i];
        for (size_t c = skip; c < row->fact_count; c++) {
            const struct fact *fact = &row_facts(listing, row)[c];
            const char *text = cell_text(arena, fact);
            cells.right[c - skip] |= is_number(fact);
            size_t width = text_width(text);
            cells.texts[(i - first) * cells.columns + c - skip] = text;
            if (width > cells.widths[c - skip] && width <= WIDEST_COLUMN)
                cells.widths[c - skip] = width;
        }
    }
    return cells;
}

static void print_padded(const char *text, size_t width, bool right)
{
    size_t used = text_width(text);
    int padding = width > used ? (int)(width - used) : 0;
    if (right)
        printf("%*s%s", padding, "", text);
    else
        printf("%s%*s", text, padding, "");
}

/* Prints a cell and the space before the next cell. No spaces are printed at the end of a line. */
static void print_cell(const char *text, size_t width, bool right, bool last)
{
    if (last && !right)
        fputs(text, stdout);
    else
        print_padded(text, width, right);
    if (!last)
        fputs("  ", stdout);
}

static void print_columns(const struct listing *listing, size_t first, size_t last, size_t skip,
                          bool headings, int indent)
{
    if (first == last)
        return;
    struct arena arena;
    tool_arena_init(&arena);
    struct cells cells = make_cells(&arena, listing, first, last, skip);
    const struct fact *sample = row_facts(listing, &listing->rows[first]) + skip;
    size_t sample_count = listing->rows[first].fact_count - skip;
    if (headings) {
        printf("%*s", indent, "");
        for (size_t c = 0; c < sample_count; c++) {
            size_t width = strlen(sample[c].key);
            if (width > cells.widths[c])
                cells.widths[c] = width;
            print_cell(sample[c].key, cells.widths[c], cells.right[c], c + 1 == sample_count);
        }
        putchar('\n');
    }
    for (size_t i = first; i < last; i++) {
        size_t count = listing->rows[i].fact_count - skip;
        printf("%*s", indent, "");
        for (size_t c = 0; c < count; c++)
            print_cell(cells.texts[(i - first) * cells.columns + c], cells.widths[c],
                       cells.right[c], c + 1 == count);
        putchar('\n');
    }
    arena_destroy(&arena);
}

static void print_records(const struct listing *listing, int indent)
{
    struct arena arena;
    tool_arena_init(&arena);
    size_t width = 0;
    for (size_t i = 0; i < listing->rows_count; i++) {
        size_t own = text_width(cell_text(&arena, row_facts(listing, &listing->rows[i])));
        if (own > width && own <= WIDEST_COLUMN)
            width = own;
    }
    for (size_t i = 0; i < listing->rows_count; i++) {
        const struct row *row = &listing->rows[i];
        const struct fact *facts = row_facts(listing, row);
        printf("%*s", indent, "");
        print_padded(cell_text(&arena, facts), row->fact_count > 1 ? width : 0, false);
        for (unsigned f = 1; f < row->fact_count; f++)
            printf("  %s=%s", facts[f].key, cell_text(&arena, &facts[f]));
        putchar('\n');
    }
    arena_destroy(&arena);
}

static void print_groups(const struct listing *listing, int indent)
{
    for (size_t first = 0; first < listing->rows_count;) {
        const struct row *heading = &listing->rows[first];
        const struct fact *group = row_facts(listing, heading);
        size_t last = first + 1;
        while (last < listing->rows_count &&
               fact_equal(row_facts(listing, &listing->rows[last]), group))
            last++;
        printf("%*s%s\n", indent, "", terminal_text_show(listing->arena, group->value.text));
        print_columns(listing, first + (heading->fact_count == 1), last, 1, false, indent + 2);
        first = last;
    }
}

static void print_properties(const struct listing *listing, int indent)
{
    struct arena arena;
    tool_arena_init(&arena);
    size_t width = 0;
    for (size_t i = 0; i < listing->facts_count; i++)
        if (strlen(listing->facts[i].key) > width)
            width = strlen(listing->facts[i].key);
    for (size_t i = 0; i < listing->facts_count; i++) {
        const struct fact *fact = &listing->facts[i];
        printf("%*s%-*s  %s\n", indent, "", (int)width, fact->key, cell_text(&arena, fact));
    }
    arena_destroy(&arena);
}

void print_listing(const struct listing *listing, int indent)
{
    switch (listing->layout) {
    case LAYOUT_TABLE:
        print_columns(listing, 0, listing->rows_count, 0, true, indent);
        break;
    case LAYOUT_RECORDS:
        print_records(listing, indent);
        break;
    case LAYOUT_GROUPS:
        print_groups(listing, indent);
        break;
    case LAYOUT_PROPERTIES:
        print_properties(listing, indent);
        break;
    case LAYOUT_LINES:
        print_columns(listing, 0, listing->rows_count, 0, false, indent);
        break;
    }
}
