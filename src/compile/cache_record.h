/* An entry of the cache, in memory and on the disk. It holds a key, a cubin or another result, and
 * messages.
 *
 * A record begins with magic bytes, a digest, and the sizes of the three parts, which follow. The
 * digest covers the sizes and the parts. The record contains the whole key, which is compared byte
 * by byte. So the digest of the key is only used to find an entry, and the digest of the record
 * only to detect damage. Neither digest has to be cryptographic: even if the keys of two texts have
 * the same digest, by chance or on purpose, no text gets the code of the other.
 *
 * Unguarded bytes, which the digest of the record does not cover, may follow the parts. They have
 * digests, too: one for each block, which the part `cubin` holds (block_digests.h). The caller
 * checks a block when it uses it. */
#ifndef WARPLD_COMPILE_CACHE_RECORD_H
#define WARPLD_COMPILE_CACHE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* All that a result depends on, and its XXH3-128 digest. */
struct cache_key {
    struct bytes bytes;
    uint64_t digest[2];
};

void cache_key_set(struct cache_key *key, struct bytes bytes);

/* The parts of a record; they point into it. */
struct cache_parts {
    /* The result: a cubin, optimised code, the digests of a snapshot's blocks, or the digest of a
     * file. */
    struct bytes cubin;
    struct bytes messages;
    /* Unguarded bytes (see the head of this file), which only entries in a folder have. */
    struct bytes unguarded;
};

/* Returns a record from malloc; its data is NULL if memory has run out. */
struct bytes cache_record_make(const struct cache_key *key, const struct cache_parts *parts);

enum cache_record_state {
    CACHE_RECORD_GOOD,
    CACHE_RECORD_DAMAGED,
    CACHE_RECORD_OTHER, /* undamaged, but its key is another one */
};

/* Sets *parts if the record is good. A record with unguarded bytes (see the head of this file)
 * counts as damaged. */
enum cache_record_state cache_record_open(struct bytes record, const struct cache_key *key,
                                          struct cache_parts *parts);

/* Like cache_record_open, for a record that may have unguarded bytes. */
enum cache_record_state cache_record_open_guarded(struct bytes record, const struct cache_key *key,
                                                  struct cache_parts *parts);

/* Sets *parts and returns true if the record has this key and no unguarded bytes. Does not compute
 * the digest again. Requires: the record has been in this program's memory since it was made or
 * checked. */
bool cache_record_matches(struct bytes record, const struct cache_key *key,
                          struct cache_parts *parts);

#endif
