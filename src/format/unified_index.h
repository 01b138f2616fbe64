/* The index file, which assigns an offset in the unified function table or the unified data table
 * to each unified function and variable. docs/unified.md describes it. */
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
    UNIFIED_INDEX_EXTRA_SIZE = 16, /* more bytes for each function, in version 2 and later */
    UNIFIED_SLOT_SIZE = 128,       /* size of a slot of .nv.uft, which jumps to one function */
};

/* The 128-bit identifier of a unified function or variable. It is the same in all programs. */
struct unified_id {
    uint64_t low;
    uint64_t high;
};

struct unified_index_entry {
    struct unified_id id;
    uint64_t offset;
};

/* An opened index file. The entries are not copied, so the bytes of the file must outlive it. */
struct unified_index {
    uint32_t version;
    uint64_t window[UNIFIED_TABLE_KINDS]; /* size of each table in bytes */
    uint64_t count[UNIFIED_TABLE_KINDS];
    const uint8_t *entries[UNIFIED_TABLE_KINDS];
    struct bytes extra; /* the bytes that follow the entries, in version 2 and later */
};

enum unified_index_problem {
    UNIFIED_INDEX_SOUND,
    UNIFIED_INDEX_MAGIC, /* not an index file */
    UNIFIED_INDEX_SIZE,  /* the file's size does not agree with its version and entry counts */
};

/* Opens an index file, and checks that its size agrees with its version and numbers of entries. */
enum unified_index_problem unified_index_open(struct unified_index *index, struct bytes file);

/* Returns true for bytes that begin with the magic of an index file. */
bool unified_index_identify(struct bytes file);

/* Decodes entry i of one table. Requires: i < index->count[kind]. */
struct unified_index_entry unified_index_entry(const struct unified_index *index,
                                               enum unified_table_kind kind, uint64_t i);

/* Functions for writing a file of version 1, which consists of the header, the entries of
 * functions, and the entries of variables. unified_index_size returns the size of a file with the
 * entry counts of `index`. */
uint64_t unified_index_size(const struct unified_index *index);
void unified_index_write_header(const struct unified_index *index, uint8_t *out);
void unified_index_write_entry(const struct unified_index_entry *entry, uint8_t *out);

/* Compares identifiers as 128-bit numbers. Returns a negative number, 0 or a positive number. */
int unified_id_compare(struct unified_id a, struct unified_id b);

#endif
