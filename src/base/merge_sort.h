/* nvlink's merge sort of lists. The order in which it leaves equal elements is visible in the
 * output.
 *
 * The list is split into A (1st, 3rd, 5th ... element) and B (2nd, 4th ...). A and B are reversed,
 * sorted recursively by the same algorithm, and merged. The sort is not stable. nvlink uses it with
 * two rules for equal elements: take from A, or take from B. The algorithm was fitted to 200 random
 * programs whose variables have equal sizes and alignments; it then predicted every address in 400
 * new programs (nvlink 13.0.88). */
#ifndef WARPLD_BASE_MERGE_SORT_H
#define WARPLD_BASE_MERGE_SORT_H

#include <stddef.h>

#include "base/arena.h"

enum merge_sort_ties { TIES_FROM_A, TIES_FROM_B };

/* Returns a number less than 0 if `a` must come before `b`. */
typedef int merge_sort_order(const void *a, const void *b);

/* Sorts an array of pointers in place; scratch memory comes from the arena. */
void merge_sort(struct arena *arena, void **elements, size_t count, merge_sort_order *order,
                enum merge_sort_ties ties);

#endif
