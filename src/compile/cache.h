/* The cache: keeps cubins and optimised code for later links, in memory and, if there is one, in a
 * folder. Many threads can use a cache at once. */
#ifndef WARPLD_COMPILE_CACHE_H
#define WARPLD_COMPILE_CACHE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "compile/cache_folder.h"
#include "compile/cache_memory.h"
#include "compile/cache_record.h"
#include "compile/cache_remote.h"

struct ptx_cache {
    pthread_mutex_t lock;
    struct cache_memory memory;
    struct cache_folder folder;
    const struct cache_remote *remote; /* store that several machines share, or NULL; the owner sets
                                          it before the first use */
    bool has_folder;                   /* a folder was given, and it can be used */
    /* Why the folder cannot be used, if that was not yet reported; else empty. */
    char warning[PATH_MAX + 128];
    bool has_warned;
};

/* `path` is that of the cache folder, or NULL; the string must outlive the cache. `limit` is the
 * largest size of the folder's entries in bytes. */
void ptx_cache_init(struct ptx_cache *cache, const char *path, uint64_t limit);
void ptx_cache_destroy(struct ptx_cache *cache);

/* Finds the record of a key and sets *parts. The record is from malloc; its data is NULL if the
 * cache has no record of the key. */
struct bytes ptx_cache_find(struct ptx_cache *cache, const struct cache_key *key,
                            struct cache_parts *parts);

void ptx_cache_add(struct ptx_cache *cache, const struct cache_key *key,
                   const struct cache_parts *parts);

/* Copies records of these keys from the remote store, if the cache does not have them. Asks the
 * store for all missing records in one request. */
void ptx_cache_fetch(struct ptx_cache *cache, const struct cache_key *const *keys, size_t count);

/* Adds the records of the keys to the remote store, in one request. */
void ptx_cache_send(const struct ptx_cache *cache, const struct cache_key *const *keys,
                    const struct cache_parts *parts, size_t count);

/* Copies the warning about the folder to `text`, which has the capacity of cache->warning. Returns
 * false if there is no warning, or if it was taken before. */
bool ptx_cache_take_warning(struct ptx_cache *cache, char *text);

#endif
