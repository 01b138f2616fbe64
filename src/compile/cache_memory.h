/* The part of the cache in this program's memory. */
#ifndef WARPLD_COMPILE_CACHE_MEMORY_H
#define WARPLD_COMPILE_CACHE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "compile/cache_record.h"

enum { CACHE_MEMORY_BUCKETS = 1024 };

struct cache_memory_entry;

/* All zero: empty. Entries are in a table, by digest, and in a list, the last used first. */
struct cache_memory {
    struct cache_memory_entry *buckets[CACHE_MEMORY_BUCKETS];
    struct cache_memory_entry *newest, *oldest;
    uint64_t size;  /* of all records */
    uint64_t limit; /* of the size; entries used least recently are removed above it */
};

/* Returns the record of the key, which is valid until the next call for this cache; its data is
 * NULL if there is none. Sets *parts. */
struct bytes cache_memory_find(struct cache_memory *memory, const struct cache_key *key,
                               struct cache_parts *parts);

/* Adds a record from malloc, which the cache owns from now on, unless there is one for the key. */
void cache_memory_add(struct cache_memory *memory, const struct cache_key *key,
                      struct bytes record);

void cache_memory_clear(struct cache_memory *memory);

#endif
