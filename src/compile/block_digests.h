/* Digests of the blocks of some bytes, so that a part of them can be checked for damage alone. */
#ifndef WARPLD_COMPILE_BLOCK_DIGESTS_H
#define WARPLD_COMPILE_BLOCK_DIGESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

/* A digest for each block; the last block may be shorter. */
struct block_digests {
    struct bytes bytes; /* that they are of */
    struct bytes table;
    _Atomic bool *known; /* by block: it was found unchanged */
};

uint64_t block_digests_table_size(uint64_t size);

/* Writes the table of some bytes, which has the above size. */
void block_digests_write(struct bytes bytes, uint8_t *table);

/* Returns false if the table is not of so many bytes. */
bool block_digests_open(struct block_digests *digests, struct bytes bytes, struct bytes table,
                        struct arena *arena);

/* Returns whether the blocks with a part of the bytes are unchanged. Each is read once, unless
 * several threads need it at the same time. */
bool block_digests_match(const struct block_digests *digests, struct bytes part);

#endif
