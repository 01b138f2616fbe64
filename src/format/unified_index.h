/* The index file of unified tables: where each entry of a program's unified function table and
 * unified data table has its place; docs/unified.md describes it. */
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
    UNIFIED_INDEX_EXTRA_SIZE = 16, /* for each function from version 2 on */
    UNIFIED_SLOT_SIZE = 128,       /* of .nv.uft: the code that jumps to one function */
};

/* What a function or variable has the same of in all programs that know it. */
struct unified_id {
    uint64_t low;
    uint64_t high;
};

struct unified_index_entry {
    struct unified_id id;
    uint64_t offset;
};

/* What an index file says; entries point into the bytes it was read from. */
struct unified_index {
    uint32_t version;
    uint64_t window[UNIFIED_TABLE_KINDS]; /* size of each table */
    uint64_t count[UNIFIED_TABLE_KINDS];
    const uint8_t *entries[UNIFIED_TABLE_KINDS];
    struct bytes extra; /* what version 2 has behind the entries */
};

enum unified_index_problem {
    UNIFIED_INDEX_SOUND,
    UNIFIED_INDEX_MAGIC, /* no index file */
    UNIFIED_INDEX_SIZE,  /* of another size than its header says */
};

/* Reads a file; afterwards all entries that it counts are there. */
enum unified_index_problem unified_index_open(struct unified_index *index, struct bytes file);

/* True for bytes that begin as an index file does. */
bool unified_index_identify(struct bytes file);

/* i < index->count[kind] */
struct unified_index_entry unified_index_entry(const struct unified_index *index,
                                               enum unified_table_kind kind, uint64_t i);

/* The size of the file with so many entries, and its header; the entries follow, functions first.
 * Both for version 1. */
uint64_t unified_index_size(const struct unified_index *index);
void unified_index_write_header(const struct unified_index *index, uint8_t *place);
void unified_index_write_entry(const struct unified_index_entry *entry, uint8_t *place);

/* Order of the identifiers as numbers of 128 bits: negative, 0, positive. */
int unified_id_compare(struct unified_id a, struct unified_id b);

#endif
