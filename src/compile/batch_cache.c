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

/* Returns false if the text is not in the cache, or memory is short. */
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

void batch_look_up(struct ptx_batch *batch, struct ptx_cache *cache, const char *identity)
{
    batch->pending_count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct compilation *compilation = &batch->compilations[i];
        struct cache_key *key = ARENA_NEW(&batch->arena, struct cache_key);
        if (compilation_key(key, &batch->arena, identity, compilation))
            compilation->key = key;
        if (!compilation->key || !take_record(batch, cache, compilation))
            batch->pending[batch->pending_count++] = compilation;
    }
}

void batch_store(struct ptx_batch *batch, struct ptx_cache *cache)
{
    for (size_t i = 0; i < batch->pending_count; i++) {
        const struct compilation *compilation = batch->pending[i];
        const struct warpld_compile_result *result = compilation->result;
        struct cache_parts parts = {
            .cubin = {result->cubin, result->cubin_size},
            .messages = compilation->messages,
        };
        if (compilation->key && result->cubin)
            ptx_cache_add(cache, compilation->key, &parts);
    }
}

void batch_report_cache(const struct ptx_batch *batch, struct ptx_cache *cache)
{
    char text[sizeof cache->warning];
    if (ptx_cache_take_warning(cache, text))
        batch_report(batch, PTX_MESSAGE_WARNING, text);
}
