/* Assigns the entries of a unified table their offsets from the index file, and checks them. Part
 * of pass_unified, which uses these functions for both tables: functions and variables. */
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
    struct unified_entry **by_id; /* the entries sorted by identifier; those with equal identifiers
                                     are in reading order */
};

/* These functions report an error and return false. The message of unified_refuse has no arguments;
 * the message of unified_refuse_entry names an entry. */
bool unified_refuse(const struct unified_placing *placing, enum diagnostic_name message);
bool unified_refuse_entry(const struct unified_placing *placing, enum diagnostic_name message,
                          const struct unified_entry *entry);

/* Assigns each entry its offset from the index file. Returns false after reporting an error. */
bool unified_take_offsets(struct unified_placing *placing);

/* unified_check_offsets checks that no two entries have the same identifier, and that every entry
 * has an offset and overlaps no other entry. unified_offsets_are_within checks that no entry ends
 * after `size`. Both return false after reporting an error. */
bool unified_check_offsets(const struct unified_placing *placing);
bool unified_offsets_are_within(const struct unified_placing *placing, uint64_t size);

/* Returns the largest end offset of an entry, which is the size of the table. */
uint64_t unified_offsets_end(const struct unified_table *table);

#endif
