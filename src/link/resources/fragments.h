/* Entry fragments: the words of AT_ENTRY_FRAGMENTS records, which move from the functions to the
 * kernels that reach them. */
#ifndef WARPLD_LINK_RESOURCES_FRAGMENTS_H
#define WARPLD_LINK_RESOURCES_FRAGMENTS_H

#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* The lists of all kernels of a set while they are being made. */
struct fragments;
struct fragments *fragments_prepare(link_context *link, const struct kernel_sets *sets);

/* A kernel's list starts with its last record. */
void fragments_start_with(struct fragments *fragments, uint32_t kernel_id);

/* The kernels of `set`, but for `left_out`, get the words of a function that they do not have;
 * `each_once`: also of words that one record repeats only the first (observed in links with one
 * kernel; in others a record's words are compared with what the list was before that record). */
void fragments_hand_on(struct fragments *fragments, const struct kernel_set *set,
                       const struct function *from, const struct function *left_out,
                       bool each_once);

/* The record with a kernel's list; its payload is NULL when the list is empty. Reports a list that
 * no record can hold. */
struct output_record fragments_record(struct fragments *fragments, const struct function *kernel);

#endif
