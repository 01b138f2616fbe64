/* Builds the lists of entry fragments of kernels. Entry fragments are the words of
 * AT_ENTRY_FRAGMENTS records. A kernel's list also has the fragments of the functions that the
 * kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_FRAGMENTS_H
#define WARPLD_LINK_RESOURCES_FRAGMENTS_H

#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* The lists of fragments of all kernels in `sets`, while they grow. */
struct fragments;
struct fragments *fragments_prepare(link_context *link, const struct kernel_sets *sets);

/* Starts a kernel's list with the words of the kernel's own last record. */
void fragments_start_with(struct fragments *fragments, uint32_t kernel_id);

/* Appends a function's words to the list of each kernel of `set` except `left_out`, unless the list
 * has them already. If a record of the function has a word several times, the word is added several
 * times, because nvlink compares the words with the list as it was before the record. With
 * `each_once` the word is added only once (observed in links with one kernel). */
void fragments_propagate(struct fragments *fragments, const struct kernel_set *set,
                         const struct function *from, const struct function *left_out,
                         bool each_once);

/* The record with a kernel's list. Its payload is NULL if the list is empty. A list that is too
 * long for a record is reported. */
struct output_record fragments_record(struct fragments *fragments, const struct function *kernel);

#endif
