/* The part of the cache in this program's memory. */
#ifndef WARPLD_COMPILE_CACHE_MEMORY_H
#define WARPLD_COMPILE_CACHE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "compile/cache_record.h"

enum { CACHE_MEMORY_BUCKETS = 1024 };

struct cache_memory_entry;

/* An empty cache is all zero. Entries are found by their digests in a table of buckets. They also
 * form a list that begins with the entry used most recently. */
struct cache_memory {
    struct cache_memory_entry *buckets[CACHE_MEMORY_BUCKETS];
    struct cache_memory_entry *newest, *oldest;
    uint64_t size; /* of all records */
    /* Largest size; if it is exceeded, the entries used least recently are removed. */
    uint64_t limit;
};

/* Returns the record of the key, which is valid until the next call for this cache; its data is
 * NULL if there is none. Sets *parts. */
struct bytes cache_memory_find(struct cache_memory *memory, const struct cache_key *key,
                               struct cache_parts *parts);

/* Adds a record from malloc and takes over its memory. Frees the record if the cache has a record
 * of the key already, or if the record is larger than the limit. */
void cache_memory_add(struct cache_memory *memory, const struct cache_key *key,
                      struct bytes record);

void cache_memory_clear(struct cache_memory *memory);

#endif
