/* An entry of the cache, in memory and on the disk: the key, the cubin and the messages.
 *
 * A record begins with magic bytes, a digest, and the sizes of the three parts, which follow. The
 * digest covers the sizes and the parts. The record contains the whole key, which is compared byte
 * by byte. So the key's digest only finds an entry, and the record's digest only detects damage.
 * Neither has to be cryptographic: two texts whose keys have the same digest, by chance or on
 * purpose, never get each other's code.
 *
 * Unguarded bytes, which the record's digest does not cover, may follow the parts. The caller
 * checks them when it uses them, with digests of blocks that are in the cubin's part of the record
 * (block_digests.h). */
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
    struct bytes cubin; /* or optimised code, or the digests of a snapshot's blocks or of a file */
    struct bytes messages;
    struct bytes unguarded; /* in the folder only; the caller checks them */
};

/* Returns a record from malloc; its data is NULL if memory has run out. */
struct bytes cache_record_make(const struct cache_key *key, const struct cache_parts *parts);

enum cache_record_state {
    CACHE_RECORD_GOOD,
    CACHE_RECORD_DAMAGED,
    CACHE_RECORD_OTHER, /* undamaged, of another key */
};

/* Sets *parts if the record is good. A record with unguarded bytes (see the head of this file)
 * counts as damaged. */
enum cache_record_state cache_record_open(struct bytes record, const struct cache_key *key,
                                          struct cache_parts *parts);

/* Like cache_record_open, for a record that may have unguarded bytes. */
enum cache_record_state cache_record_open_guarded(struct bytes record, const struct cache_key *key,
                                                  struct cache_parts *parts);

/* Sets *parts and returns true if the record has this key and no unguarded bytes. Requires: the
 * record is in this program's memory, so its digest need not be computed again. */
bool cache_record_matches(struct bytes record, const struct cache_key *key,
                          struct cache_parts *parts);

#endif
