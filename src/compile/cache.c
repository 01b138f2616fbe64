/* The cache of compiled code; see cache.h.
 *
 * The lock protects the records in memory and the warning. It is not held while files are read or
 * written. */
#include "compile/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_LIMIT = 64 << 20 };

/* Stops using the folder, because it cannot be used. This is reported only once and is no error:
 * compilation works without the folder. */
static void give_up_folder(struct ptx_cache *cache, const char *failed, int error)
{
    pthread_mutex_lock(&cache->lock);
    if (!cache->has_warned)
        snprintf(cache->warning, sizeof cache->warning, "Cannot %s the cache folder '%s': %s",
                 failed, cache->folder.path, strerror(error));
    cache->has_warned = true;
    cache->has_folder = false;
    pthread_mutex_unlock(&cache->lock);
}

void ptx_cache_init(struct ptx_cache *cache, const char *path, uint64_t limit)
{
    *cache = (struct ptx_cache){.memory.limit = MEMORY_LIMIT, .folder.descriptor = -1};
    pthread_mutex_init(&cache->lock, NULL);
    if (!path || !*path)
        return;
    int error = cache_folder_open(&cache->folder, path, limit);
    cache->has_folder = !error;
    if (error)
        give_up_folder(cache, "use", error);
}

void ptx_cache_destroy(struct ptx_cache *cache)
{
    cache_memory_clear(&cache->memory);
    cache_folder_close(&cache->folder);
    pthread_mutex_destroy(&cache->lock);
}

/* Returns a copy of the record in memory from malloc. Also makes *parts, which pointed into the
 * original, point into the copy. */
static struct bytes copy_record(struct bytes record, struct cache_parts *parts)
{
    uint8_t *copy = record.data ? malloc((size_t)record.size) : NULL;
    if (!copy)
        return (struct bytes){NULL, 0};
    memcpy(copy, record.data, (size_t)record.size);
    parts->cubin.data = copy + (parts->cubin.data - record.data);
    parts->messages.data = copy + (parts->messages.data - record.data);
    return (struct bytes){copy, record.size};
}

/* Adds the record to cache->memory, which owns it from now on. */
static void remember(struct ptx_cache *cache, const struct cache_key *key, struct bytes record)
{
    if (!record.data)
        return;
    pthread_mutex_lock(&cache->lock);
    cache_memory_add(&cache->memory, key, record);
    pthread_mutex_unlock(&cache->lock);
}

static bool has_folder(struct ptx_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    bool has = cache->has_folder;
    pthread_mutex_unlock(&cache->lock);
    return has;
}

static struct bytes find_in_memory(struct ptx_cache *cache, const struct cache_key *key,
                                   struct cache_parts *parts)
{
    pthread_mutex_lock(&cache->lock);
    struct bytes record = copy_record(cache_memory_find(&cache->memory, key, parts), parts);
    pthread_mutex_unlock(&cache->lock);
    return record;
}

static struct bytes find_in_folder(struct ptx_cache *cache, const struct cache_key *key,
                                   struct cache_parts *parts)
{
    struct bytes record = {NULL, 0};
    if (has_folder(cache))
        record = cache_folder_find(&cache->folder, key, parts);
    struct cache_parts unused = *parts;
    if (record.data)
        remember(cache, key, copy_record(record, &unused));
    return record;
}

struct bytes ptx_cache_find(struct ptx_cache *cache, const struct cache_key *key,
                            struct cache_parts *parts)
{
    struct bytes record = find_in_memory(cache, key, parts);
    return record.data ? record : find_in_folder(cache, key, parts);
}

/* Adds a record to the folder and to the memory. The record belongs to the cache from now on. */
static void keep(struct ptx_cache *cache, const struct cache_key *key, struct bytes record)
{
    int error = 0;
    if (record.data && has_folder(cache))
        error = cache_folder_add(&cache->folder, key, record);
    if (error)
        give_up_folder(cache, "write to", error);
    remember(cache, key, record);
}

void ptx_cache_add(struct ptx_cache *cache, const struct cache_key *key,
                   const struct cache_parts *parts)
{
    keep(cache, key, cache_record_make(key, parts));
}

bool ptx_cache_take_warning(struct ptx_cache *cache, char *text)
{
    pthread_mutex_lock(&cache->lock);
    bool has_warning = cache->warning[0];
    if (has_warning)
        memcpy(text, cache->warning, sizeof cache->warning);
    cache->warning[0] = 0;
    pthread_mutex_unlock(&cache->lock);
    return has_warning;
}

/* --------------------------------------------------------------------------------------------- */
/* The remote store                                                                              */

static bool is_here(struct ptx_cache *cache, const struct cache_key *key)
{
    struct cache_parts parts;
    struct bytes record = ptx_cache_find(cache, key, &parts);
    free((void *)record.data);
    return record.data;
}

static void take_fetched(struct ptx_cache *cache, const struct cache_key *key, struct bytes record)
{
    struct cache_parts parts;
    if (!record.data)
        return;
    if (cache_record_open(record, key, &parts) == CACHE_RECORD_GOOD) {
        keep(cache, key, record);
        return;
    }
    cache->remote->reject(cache->remote->context);
    free((void *)record.data);
}

void ptx_cache_fetch(struct ptx_cache *cache, const struct cache_key *const *keys, size_t count)
{
    if (!cache->remote || !count)
        return;
    const struct cache_key **missing = calloc(count, sizeof *missing);
    struct bytes *records = calloc(count, sizeof *records);
    size_t missing_count = 0;
    for (size_t i = 0; missing && records && i < count; i++)
        if (!is_here(cache, keys[i]))
            missing[missing_count++] = keys[i];
    if (missing_count)
        cache->remote->fetch(cache->remote->context, missing, records, missing_count);
    for (size_t i = 0; i < missing_count; i++)
        take_fetched(cache, missing[i], records[i]);
    free(records);
    free(missing);
}

void ptx_cache_send(const struct ptx_cache *cache, const struct cache_key *const *keys,
                    const struct cache_parts *parts, size_t count)
{
    struct bytes *records = cache->remote && count ? calloc(count, sizeof *records) : NULL;
    if (!records)
        return;
    for (size_t i = 0; i < count; i++)
        records[i] = cache_record_make(keys[i], &parts[i]);
    cache->remote->store(cache->remote->context, keys, records, count);
    for (size_t i = 0; i < count; i++)
        free((void *)records[i].data);
    free(records);
}
