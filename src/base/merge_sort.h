/* nvlink's list merge sort, whose order of equal elements shows in the output.
 *
 * The list is split alternately into A (1st, 3rd, 5th ... element) and B (2nd, 4th ...), each
 * reversed; both are sorted the same way and merged. It is not stable, and it is used with two
 * rules for equal elements: take from A, or take from B. Found by fitting 200 random programs with
 * equal sizes and alignments; it then predicted every address in 400 fresh ones (nvlink 13.0.88).
 */
#ifndef WARPLD_BASE_MERGE_SORT_H
#define WARPLD_BASE_MERGE_SORT_H

#include <stddef.h>

#include "base/arena.h"

enum merge_sort_ties { TIES_FROM_A, TIES_FROM_B };

/* Less than 0: a first. */
typedef int merge_sort_order(const void *a, const void *b);

/* Sorts an array of pointers in place; the arena gives scratch memory. */
void merge_sort(struct arena *arena, void **elements, size_t count, merge_sort_order *order,
                enum merge_sort_ties ties);

#endif
