/* Compares listings and bytes; see diff.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/diff/diff.h"

static const char *kept(struct arena *arena, const char *text)
{
    return text ? arena_copy_string(arena, text, strlen(text)) : NULL;
}

void diff_add(struct diff *diff, const char *section, const char *entry, const char *field,
              const char *a, const char *b)
{
    if (diff_keeps(diff)) {
        struct arena *arena = &diff->arena;
        *ARENA_APPEND(arena, diff, found) = (struct difference){
            .section = kept(arena, section),
            .entry = kept(arena, entry),
            .field = field,
            .a = kept(arena, a),
            .b = kept(arena, b),
        };
    }
    diff->count++;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bytes                                                                                          */

static void count_different_bytes(struct bytes a, struct bytes b, uint64_t *first, uint64_t *count)
{
    uint64_t common = a.size < b.size ? a.size : b.size;
    uint64_t longer = a.size < b.size ? b.size : a.size;
    *first = common;
    *count = longer - common;
    for (uint64_t i = common; i-- > 0;) {
        if (a.data[i] != b.data[i]) {
            *first = i;
            ++*count;
        }
    }
}

static const char *bytes_from(struct arena *arena, struct bytes bytes, uint64_t offset)
{
    enum { SHOWN = 16 };
    if (offset >= bytes.size)
        return "(end)";
    uint64_t left = bytes.size - offset;
    struct fact fact = {.kind = FACT_BYTES, .count = left < SHOWN ? (uint32_t)left : SHOWN};
    fact.value.data = bytes.data + offset;
    return fact_text(arena, &fact);
}

void diff_bytes(struct diff *diff, const char *section, const char *what, struct bytes a,
                struct bytes b)
{
    if (a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size)))
        return;
    if (!diff_keeps(diff)) {
        diff->count++;
        return;
    }
    uint64_t first, count;
    count_different_bytes(a, b, &first, &count);
    struct arena *arena = &diff->arena;
    const char *entry = arena_format(arena, "%" PRIu64 " %s, the first at 0x%" PRIx64, count,
                                     count == 1 ? "byte differs" : "bytes differ", first);
    diff_add(diff, section, entry, what, bytes_from(arena, a, first), bytes_from(arena, b, first));
}

/* ---------------------------------------------------------------------------------------------- */
/* Rows                                                                                           */

/* A row and its hash. Lists of rows are sorted by hash to find equal rows of two listings. */
struct hashed_row {
    uint64_t hash;
    uint32_t index;
    uint32_t partner; /* index of the row of the other listing with the same identity */
};

struct hashed_rows {
    struct hashed_row *rows;
    size_t count;
};

static int compare_hashes(const void *a, const void *b)
{
    const struct hashed_row *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_indices(const void *a, const void *b)
{
    const struct hashed_row *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

static struct hashed_rows hash_rows(struct arena *arena, const struct listing *listing)
{
    struct hashed_rows all = {ARENA_ARRAY(arena, struct hashed_row, listing->rows_count),
                              listing->rows_count};
    for (size_t i = 0; i < all.count; i++) {
        const struct row *row = &listing->rows[i];
        all.rows[i] =
            (struct hashed_row){row_hash(listing, row, row->fact_count), (uint32_t)i, NO_PARTNER};
    }
    return all;
}

static size_t first_unequal(const struct hashed_rows *a, const struct hashed_rows *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && a->rows[i].hash == b->rows[i].hash)
        i++;
    return i;
}

static void sort_rows(struct hashed_rows *rows, int (*compare)(const void *, const void *))
{
    if (rows->count)
        qsort(rows->rows, rows->count, sizeof *rows->rows, compare);
}

static void drop_repeated(struct hashed_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (!i || rows->rows[i].hash != rows->rows[i - 1].hash)
            rows->rows[count++] = rows->rows[i];
    rows->count = count;
}

/* Removes the rows that both lists have. Requires: the lists are sorted by hash. */
static void drop_common(struct hashed_rows *a, struct hashed_rows *b)
{
    size_t i = 0, j = 0, kept_a = 0, kept_b = 0;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && a->rows[i].hash < b->rows[j].hash)) {
            a->rows[kept_a++] = a->rows[i++];
        } else if (i == a->count || b->rows[j].hash < a->rows[i].hash) {
            b->rows[kept_b++] = b->rows[j++];
        } else {
            i++;
            j++;
        }
    }
    a->count = kept_a;
    b->count = kept_b;
}

static void hash_identities(struct hashed_rows *rows, const struct listing *listing)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &listing->rows[rows->rows[i].index];
        rows->rows[i].hash = row_hash(listing, row, row->identity);
    }
    sort_rows(rows, compare_hashes);
}

/* Sets the partners of rows with the same identity. Requires: the hashes are those of the
 * identities, and the lists are sorted by hash. */
static void join_identities(struct hashed_rows *a, struct hashed_rows *b)
{
    size_t i = 0, j = 0;
    while (i < a->count && j < b->count) {
        if (a->rows[i].hash < b->rows[j].hash) {
            i++;
        } else if (b->rows[j].hash < a->rows[i].hash) {
            j++;
        } else {
            a->rows[i].partner = b->rows[j].index;
            b->rows[j].partner = a->rows[i].index;
            i++;
            j++;
        }
    }
}

static const char *whole_row(struct diff *diff, const struct listing *listing,
                             const struct row *row)
{
    return row_text(&diff->arena, listing, row, 0, row->fact_count);
}

static bool same_keys(const struct listing *a, const struct row *x, const struct listing *b,
                      const struct row *y)
{
    if (x->fact_count != y->fact_count)
        return false;
    for (unsigned i = 0; i < x->fact_count; i++)
        if (strcmp(row_facts(a, x)[i].key, row_facts(b, y)[i].key))
            return false;
    return true;
}

static void report_pair(struct diff *diff, const char *section, const struct listing *a,
                        const struct row *x, const struct listing *b, const struct row *y)
{
    struct arena *arena = &diff->arena;
    const char *entry =
        x->identity && diff_keeps(diff) ? row_text(arena, a, x, 0, x->identity) : NULL;
    if (!same_keys(a, x, b, y)) {
        if (diff_keeps(diff))
            diff_add(diff, section, entry, "contents", whole_row(diff, a, x),
                     whole_row(diff, b, y));
        else
            diff->count++;
        return;
    }
    for (unsigned i = 0; i < x->fact_count; i++) {
        const struct fact *p = &row_facts(a, x)[i], *q = &row_facts(b, y)[i];
        if (fact_equal(p, q))
            continue;
        if (diff_keeps(diff))
            diff_add(diff, section, entry, p->key, fact_text(arena, p), fact_text(arena, q));
        else
            diff->count++;
    }
}

static void report_lone(struct diff *diff, const char *section, const struct listing *listing,
                        const struct row *row, bool in_a)
{
    const char *text = diff_keeps(diff) ? whole_row(diff, listing, row) : NULL;
    diff_add(diff, section, NULL, NULL, in_a ? text : NULL, in_a ? NULL : text);
}

static void report_left_over(struct diff *diff, const char *section, const struct listing *a,
                             struct hashed_rows *left_a, const struct listing *b,
                             struct hashed_rows *left_b)
{
    hash_identities(left_a, a);
    hash_identities(left_b, b);
    join_identities(left_a, left_b);
    sort_rows(left_a, compare_indices);
    sort_rows(left_b, compare_indices);
    for (size_t i = 0; i < left_a->count; i++) {
        const struct row *row = &a->rows[left_a->rows[i].index];
        uint32_t partner = left_a->rows[i].partner;
        if (partner == NO_PARTNER)
            report_lone(diff, section, a, row, true);
        else
            report_pair(diff, section, a, row, b, &b->rows[partner]);
    }
    for (size_t i = 0; i < left_b->count; i++)
        if (left_b->rows[i].partner == NO_PARTNER)
            report_lone(diff, section, b, &b->rows[left_b->rows[i].index], false);
}

static void report_order(struct diff *diff, const char *section, const struct listing *a,
                         const struct listing *b, size_t index)
{
    const char *entry = arena_format(&diff->arena, "order, from entry %zu on", index);
    diff_add(diff, section, entry, "entry", whole_row(diff, a, &a->rows[index]),
             whole_row(diff, b, &b->rows[index]));
}

void diff_rows(struct diff *diff, const char *section, const struct listing *a,
               const struct listing *b, enum row_order order)
{
    struct arena scratch;
    tool_arena_init(&scratch);
    struct hashed_rows left_a = hash_rows(&scratch, a), left_b = hash_rows(&scratch, b);
    size_t unequal = first_unequal(&left_a, &left_b);
    if (unequal < left_a.count || unequal < left_b.count) {
        sort_rows(&left_a, compare_hashes);
        sort_rows(&left_b, compare_hashes);
        if (order == ROWS_AS_SET) {
            drop_repeated(&left_a);
            drop_repeated(&left_b);
        }
        drop_common(&left_a, &left_b);
        if (left_a.count || left_b.count)
            report_left_over(diff, section, a, &left_a, b, &left_b);
        else if (order == ROWS_ORDERED)
            report_order(diff, section, a, b, unequal);
    }
    arena_destroy(&scratch);
}
