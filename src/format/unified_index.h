/* The index file of unified tables, which assigns an offset to each entry of the unified function
 * table and the unified data table; docs/unified.md describes it. */
#ifndef WARPLD_FORMAT_UNIFIED_INDEX_H
#define WARPLD_FORMAT_UNIFIED_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

enum unified_table_kind {
    UNIFIED_FUNCTIONS,
    UNIFIED_DATA,
    UNIFIED_TABLE_KINDS,
};

enum {
    UNIFIED_INDEX_HEADER_SIZE = 48,
    UNIFIED_INDEX_ENTRY_SIZE = 24,
    UNIFIED_INDEX_EXTRA_SIZE = 16, /* further bytes for each function, from version 2 on */
    UNIFIED_SLOT_SIZE = 128,       /* a slot of .nv.uft: the code that jumps to one function */
};

/* Identifies a function or variable in all programs that use it. */
struct unified_id {
    uint64_t low;
    uint64_t high;
};

struct unified_index_entry {
    struct unified_id id;
    uint64_t offset;
};

/* An opened index file; the entries point into its bytes. */
struct unified_index {
    uint32_t version;
    uint64_t window[UNIFIED_TABLE_KINDS]; /* size of each table */
    uint64_t count[UNIFIED_TABLE_KINDS];
    const uint8_t *entries[UNIFIED_TABLE_KINDS];
    struct bytes extra; /* the bytes that follow the entries in version 2 */
};

enum unified_index_problem {
    UNIFIED_INDEX_SOUND,
    UNIFIED_INDEX_MAGIC, /* not an index file */
    UNIFIED_INDEX_SIZE,  /* size differs from the one that follows from the header */
};

/* Opens a file and checks that it contains as many entries as its header states. */
enum unified_index_problem unified_index_open(struct unified_index *index, struct bytes file);

/* Returns true for bytes that begin with the magic of an index file. */
bool unified_index_identify(struct bytes file);

/* i < index->count[kind] */
struct unified_index_entry unified_index_entry(const struct unified_index *index,
                                               enum unified_table_kind kind, uint64_t i);

/* These functions write a file of version 1: the header, then the entries of functions, then those
 * of data. The first one returns the size of a file with the counts of `index`. The second one
 * writes the header, and the third one a single entry. */
uint64_t unified_index_size(const struct unified_index *index);
void unified_index_write_header(const struct unified_index *index, uint8_t *out);
void unified_index_write_entry(const struct unified_index_entry *entry, uint8_t *out);

/* Compares identifiers as 128-bit numbers: negative, 0 or positive. */
int unified_id_compare(struct unified_id a, struct unified_id b);

#endif
