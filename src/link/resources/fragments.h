/* Builds the lists of entry fragments of kernels. Entry fragments are the words of
 * AT_ENTRY_FRAGMENTS records. A kernel's list also has the fragments of the functions that the
 * kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_FRAGMENTS_H
#define WARPLD_LINK_RESOURCES_FRAGMENTS_H

#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Holds the lists of fragments. fragments_prepare makes an empty list for each kernel in `sets`. */
struct fragments;
struct fragments *fragments_prepare(link_context *link, const struct kernel_sets *sets);

/* Starts the list of a kernel, which has the number `kernel_id` in `sets`, with the words of the
 * kernel's own last record. */
void fragments_start_with(struct fragments *fragments, uint32_t kernel_id);

/* Appends the words of the function `from` to the list of each kernel of `set` except `left_out`.
 * Skips words that the list already has.
 *
 * nvlink adds a record's words after it has compared all of them with the list. So a new word that
 * a record has twice is added twice. `each_once` prevents this; nvlink adds each word once in a
 * link with one kernel (observed). */
void fragments_propagate(struct fragments *fragments, const struct kernel_set *set,
                         const struct function *from, const struct function *left_out,
                         bool each_once);

/* Returns a record with a kernel's list. Its payload is NULL if the list is empty, or if an error
 * was reported because the list is too long for a record. */
struct output_record fragments_record(struct fragments *fragments, const struct function *kernel);

#endif
