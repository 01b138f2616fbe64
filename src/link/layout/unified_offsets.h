/* Entries of a unified table and their places: part of the pass `unified`, for both tables alike.
 */
#ifndef WARPLD_LINK_LAYOUT_UNIFIED_OFFSETS_H
#define WARPLD_LINK_LAYOUT_UNIFIED_OFFSETS_H

#include "base/diagnostic.h"
#include "format/unified_index.h"
#include "link/model/link_context.h"
#include "link/model/unified.h"

struct unified_placing {
    link_context *link;
    const struct unified_index *index;
    struct unified_table *table;
    enum unified_table_kind kind;
    struct unified_entry **by_id; /* those of one id in reading order */
};

/* Reports a message without arguments, or about an entry. False, for the callers to hand on. */
bool unified_refuse(const struct unified_placing *placing, enum diagnostic_name message);
bool unified_refuse_entry(const struct unified_placing *placing, enum diagnostic_name message,
                          const struct unified_entry *entry);

/* Gives each entry the offset that the index file says; false: reported. */
bool unified_take_offsets(struct unified_placing *placing);

/* Whether every entry has a place to itself, and ends before `size`; false: reported. */
bool unified_check_offsets(const struct unified_placing *placing);
bool unified_offsets_are_within(const struct unified_placing *placing, uint64_t size);

/* Behind the last entry. */
uint64_t unified_offsets_end(const struct unified_table *table);

#endif
