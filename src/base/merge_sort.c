/* nvlink's list merge sort; see merge_sort.h. */
#include "base/merge_sort.h"

#include <stdbool.h>
#include <string.h>

struct sort {
    void **scratch;
    merge_sort_order *order;
    enum merge_sort_ties ties;
};

/* Moves the 1st, 3rd, 5th ... element to the front, in reverse order, and the 2nd, 4th ... after
 * them, in reverse order, too. */
static size_t split(const struct sort *sort, void **elements, size_t count)
{
    size_t half = (count + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t at = i % 2 == 0 ? half - 1 - i / 2 : count - 1 - i / 2;
        sort->scratch[at] = elements[i];
    }
    memcpy(elements, sort->scratch, count * sizeof *elements);
    return half;
}

static void join_halves(const struct sort *sort, void **elements, size_t half, size_t count)
{
    size_t a = 0, b = half;
    for (size_t i = 0; i < count; i++) {
        bool from_a;
        if (a == half || b == count) {
            from_a = b == count;
        } else {
            int order = sort->order(elements[a], elements[b]);
            from_a = order < 0 || (order == 0 && sort->ties == TIES_FROM_A);
        }
        sort->scratch[i] = elements[from_a ? a++ : b++];
    }
    memcpy(elements, sort->scratch, count * sizeof *elements);
}

/* Recursion halves the count, so its depth is logarithmic.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void sort_part(const struct sort *sort, void **elements, size_t count)
{
    if (count < 2)
        return;
    size_t half = split(sort, elements, count);
    sort_part(sort, elements, half);
    sort_part(sort, elements + half, count - half);
    join_halves(sort, elements, half, count);
}

void merge_sort(struct arena *arena, void **elements, size_t count, merge_sort_order *order,
                enum merge_sort_ties ties)
{
    struct sort sort = {ARENA_ARRAY(arena, void *, count), order, ties};
    sort_part(&sort, elements, count);
}
