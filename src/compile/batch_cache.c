/* Takes results of a batch from the cache; see batch_cache.h. */
#include "compile/batch_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "compile/cache_record.h"
#include "compile/compilation_key.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

/* Copies the cubin and the messages of a text from the cache. Returns false if the cache does not
 * have them, or if memory has run out. */
static bool take_record(struct ptx_batch *batch, struct ptx_cache *cache,
                        struct compilation *compilation)
{
    struct cache_parts parts;
    struct bytes record = ptx_cache_find(cache, compilation->key, &parts);
    if (!record.data)
        return false;
    uint8_t *messages = arena_try_alloc(&batch->arena, (size_t)parts.messages.size + 1);
    if (messages && parts.messages.size)
        memcpy(messages, parts.messages.data, (size_t)parts.messages.size);
    if (messages) {
        compilation->messages = (struct bytes){messages, parts.messages.size};
        batch_take_cubin(compilation, parts.cubin);
    }
    free((void *)record.data);
    return compilation->result->cubin;
}

/* Sets the keys of the texts, and fetches the records that only the remote store has. */
static void set_keys(struct ptx_batch *batch, struct ptx_cache *cache, const char *identity)
{
    const struct cache_key **keys =
        ARENA_ARRAY(&batch->arena, const struct cache_key *, batch->count);
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct compilation *compilation = &batch->compilations[i];
        struct cache_key *key = ARENA_NEW(&batch->arena, struct cache_key);
        if (compilation_key(key, &batch->arena, identity, compilation))
            keys[count++] = compilation->key = key;
    }
    ptx_cache_fetch(cache, keys, count);
}

void batch_look_up(struct ptx_batch *batch, struct ptx_cache *cache, const char *identity)
{
    batch->pending_count = 0;
    set_keys(batch, cache, identity);
    for (size_t i = 0; i < batch->count; i++) {
        struct compilation *compilation = &batch->compilations[i];
        if (!compilation->key || !take_record(batch, cache, compilation))
            batch->pending[batch->pending_count++] = compilation;
    }
}

void batch_store(struct ptx_batch *batch, struct ptx_cache *cache)
{
    size_t most = batch->pending_count, count = 0;
    const struct cache_key **keys = ARENA_ARRAY(&batch->arena, const struct cache_key *, most);
    struct cache_parts *parts = ARENA_ARRAY(&batch->arena, struct cache_parts, most);
    for (size_t i = 0; i < most; i++) {
        const struct compilation *compilation = batch->pending[i];
        const struct warpld_compile_result *result = compilation->result;
        if (!compilation->key || !result->cubin)
            continue;
        keys[count] = compilation->key;
        parts[count] = (struct cache_parts){
            .cubin = {result->cubin, result->cubin_size},
            .messages = compilation->messages,
        };
        ptx_cache_add(cache, keys[count], &parts[count]);
        count++;
    }
    ptx_cache_send(cache, keys, parts, count);
}

void batch_report_cache(const struct ptx_batch *batch, struct ptx_cache *cache)
{
    char text[sizeof cache->warning];
    if (ptx_cache_take_warning(cache, text))
        batch_report(batch, PTX_MESSAGE_CACHE, text);
}
