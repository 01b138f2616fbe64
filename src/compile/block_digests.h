/* Digests of blocks of data, so that a part can be checked for damage without reading the rest. */
#ifndef WARPLD_COMPILE_BLOCK_DIGESTS_H
#define WARPLD_COMPILE_BLOCK_DIGESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The digests of some data. All blocks have the same size, except that the last one may be
 * shorter. */
struct block_digests {
    struct bytes bytes; /* the data that the digests cover */
    struct bytes table;
    _Atomic bool *known; /* for each block, whether it was checked and is unchanged */
};

uint64_t block_digests_table_size(uint64_t size);

/* Writes the digests of the bytes to the table, whose size is block_digests_table_size. */
void block_digests_write(struct bytes bytes, uint8_t *table);

/* Prepares block_digests_match. Returns false if the size of the table does not fit the number of
 * bytes. */
bool block_digests_open(struct block_digests *digests, struct bytes bytes, struct bytes table,
                        struct arena *arena);

/* Returns whether all blocks that contain the part are unchanged. Each block is read only once,
 * unless several threads need it at the same time. */
bool block_digests_match(const struct block_digests *digests, struct bytes part);

#endif
