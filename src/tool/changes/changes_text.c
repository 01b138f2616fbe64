/* Prints changes; see changes_text.h. */
#include "tool/changes/changes_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/listing.h"
#include "tool/print/print.h"

static const char *kind_name(enum change_kind kind)
{
    static const char NAMES[][8] = {
        [CHANGE_REMOVED] = "removed", [CHANGE_ADDED] = "added", [CHANGE_CHANGED] = "changed"};
    return NAMES[kind];
}

/* The number of changes that have the same kind and thing, such as changed kernels. */
struct change_count {
    enum change_kind kind;
    const char *thing;
    uint32_t count;
};

struct change_counts {
    GROWING_ARRAY(struct change_count, all); /* few: at most one for each pair of kind and thing */
};

static struct change_count *count_of(struct change_counts *counts, const struct change *change,
                                     struct arena *arena)
{
    for (uint32_t i = 0; i < counts->all_count; i++)
        if (counts->all[i].kind == change->kind && !strcmp(counts->all[i].thing, change->thing))
            return &counts->all[i];
    struct change_count *count = ARENA_APPEND(arena, counts, all);
    *count = (struct change_count){change->kind, change->thing, 0};
    return count;
}

/* Returns a text such as "2 kernels changed, 1 function added". */
static const char *summary(const struct changes *changes)
{
    struct change_counts counts = {.all = NULL};
    const char *text = "";
    for (uint32_t i = 0; i < changes->all_count; i++)
        count_of(&counts, &changes->all[i], changes->arena)->count++;
    for (uint32_t i = 0; i < counts.all_count; i++) {
        const struct change_count *count = &counts.all[i];
        text = arena_format(changes->arena, "%s%s%" PRIu32 " %s%s %s", text, i ? ", " : "",
                            count->count, count->thing, count->count == 1 ? "" : "s",
                            kind_name(count->kind));
    }
    return text;
}

/* Returns a text such as "changed kernel f(): registers 24 -> 36 (+12), code 640 -> 896 (+256)". */
static const char *change_line(const struct change *change, struct arena *arena)
{
    enum { SHOWN = 5 };
    const char *text = arena_format(arena, "%s %s%s%s", kind_name(change->kind), change->thing,
                                    *change->name ? " " : "", change->name);
    for (uint32_t i = 0; i < change->rows_count && i < SHOWN; i++)
        text = arena_format(arena, "%s%s %s", text, i ? "," : ":",
                            change_row_text(&change->rows[i], change->kind, arena));
    uint32_t more = change->rows_count > SHOWN ? change->rows_count - SHOWN : 0;
    return more ? arena_format(arena, "%s, and %" PRIu32 " more", text, more) : text;
}

static void put_value(struct listing *listing, const char *key, struct change_value value)
{
    if (value.text && *value.text)
        put_text(listing, key, value.text);
    else if (value.known && !value.text)
        put_number(listing, key, value.number);
    else
        put_absent(listing, key);
}

static void put_difference(struct listing *listing, const struct change_row *row)
{
    uint64_t old = row->old.known ? row->old.number : 0, new = row->new.known ? row->new.number : 0;
    if (row->old.text || row->new.text)
        put_absent(listing, "difference");
    else
        put_text(listing, "difference",
                 arena_format(listing->arena, "%s%" PRIu64, new < old ? "-" : "+",
                              new < old ? old - new : new - old));
}

static void put_rows(struct listing *listing, const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->all_count; i++) {
        const struct change *change = &changes->all[i];
        for (uint32_t k = 0; k < change->rows_count; k++) {
            const struct change_row *row = &change->rows[k];
            listing_add_row(listing, 1);
            put_text(listing, "change", kind_name(change->kind));
            put_text(listing, "what", change->thing);
            put_text(listing, "resource", row->resource);
            put_value(listing, "old", row->old);
            put_value(listing, "new", row->new);
            put_difference(listing, row);
            if (*change->name)
                put_text(listing, "name", change->name);
            else
                put_absent(listing, "name");
        }
    }
}

void print_changes(const struct changes *changes, size_t limit)
{
    enum { LINES = 8 };
    struct arena *arena = changes->arena;
    struct listing listing;
    if (!changes->all_count)
        return;
    printf("%s\n", summary(changes));
    for (uint32_t i = 0; i < changes->all_count && i < LINES; i++)
        printf("  %s\n", terminal_text_show(arena, change_line(&changes->all[i], arena)));
    putchar('\n');
    listing_init(&listing, arena, LAYOUT_TABLE);
    put_rows(&listing, changes);
    uint32_t all = listing.rows_count;
    if (all > limit)
        listing.rows_count = (uint32_t)limit;
    print_listing(&listing, 2);
    if (all > limit)
        printf("  %zu more rows; --limit sets how many are printed\n", all - limit);
}

void print_changes_csv(const struct changes *changes)
{
    bool has_headings = false;
    struct listing listing;
    listing_init(&listing, changes->arena, LAYOUT_TABLE);
    put_rows(&listing, changes);
    print_csv(&listing, "file", changes->new->subject->path, &has_headings);
}

void json_changes(const struct changes *changes, json_t *object)
{
    struct listing listing;
    listing_init(&listing, changes->arena, LAYOUT_TABLE);
    put_rows(&listing, changes);
    json_object_set_new(object, "changes", json_listing(&listing));
}
