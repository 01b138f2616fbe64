/* Keeps optimised code in the cache; see optimiser_cache.h. */
#include "compile/optimiser_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/copied_string.h"
#include "compile/file_identity.h"

/* A version number of warpld's optimisation of LTO-IR. It must be changed when the optimisation
 * changes, because the rest of the key contains only the optimiser, its options and its inputs. */
static const char FORMAT[] = "warpld LTO 2";

/* ---------------------------------------------------------------------------------------------- */
/* The key                                                                                        */

/* Pieces of the key. They are joined when all of them are known; the size of each precedes it. */
struct pieces {
    GROWING_ARRAY(struct bytes, parts);
};

static void add_bytes(struct arena *arena, struct pieces *pieces, const void *data, size_t size)
{
    *ARENA_APPEND(arena, pieces, parts) = (struct bytes){data, size};
}

static void add_text(struct arena *arena, struct pieces *pieces, const char *text)
{
    add_bytes(arena, pieces, text, strlen(text));
}

static void set_key(struct cache_key *key, struct arena *arena, const struct pieces *pieces)
{
    enum { SIZE = 8 };
    uint64_t size = 0;
    for (size_t i = 0; i < pieces->parts_count; i++)
        size += SIZE + pieces->parts[i].size;
    uint8_t *bytes = ARENA_ARRAY(arena, uint8_t, size), *end = bytes;
    for (size_t i = 0; i < pieces->parts_count; i++) {
        store_u64(end, pieces->parts[i].size);
        if (pieces->parts[i].size)
            memcpy(end + SIZE, pieces->parts[i].data, (size_t)pieces->parts[i].size);
        end += SIZE + pieces->parts[i].size;
    }
    cache_key_set(key, (struct bytes){bytes, size});
}

bool optimiser_key(struct cache_key *key, struct arena *arena, struct ptx_cache *cache,
                   const struct optimiser_job *job)
{
    struct pieces pieces = {.parts = NULL};
    const char *nvjitlink = file_identity(arena, cache, job->nvjitlink);
    const char *nvvm = file_identity(arena, cache, job->nvvm);
    if (!nvjitlink || !nvvm)
        return false;
    add_text(arena, &pieces, FORMAT);
    add_text(arena, &pieces, nvjitlink);
    add_text(arena, &pieces, nvvm);
    for (size_t i = 0; i < job->options_count; i++)
        add_text(arena, &pieces, job->options[i]);
    for (size_t i = 0; i < job->kept_count; i++)
        add_text(arena, &pieces,
                 arena_format(arena, "%u %zu %s", job->kept[i].address_space,
                              job->kept[i].variable_size, job->kept[i].name));
    add_text(arena, &pieces, job->is_part ? "part" : "");
    for (size_t i = 0; i < job->inputs_count; i++)
        add_bytes(arena, &pieces, job->inputs[i].data, job->inputs[i].data_size);
    set_key(key, arena, &pieces);
    return true;
}

/* ---------------------------------------------------------------------------------------------- */
/* Entries                                                                                        */

/* In an entry of the cache, the part `cubin` holds the optimised code. */
bool optimiser_cache_find(struct ptx_cache *cache, const struct cache_key *key,
                          struct optimiser_output *output)
{
    struct cache_parts parts;
    ptx_cache_fetch(cache, &key, 1);
    struct bytes record = ptx_cache_find(cache, key, &parts);
    if (!record.data)
        return false;
    *output = (struct optimiser_output){
        .code = copied_string(parts.cubin),
        .code_size = (size_t)parts.cubin.size,
        .messages = parts.messages.size ? copied_string(parts.messages) : NULL,
    };
    free((void *)record.data);
    return output->code;
}

void optimiser_cache_add(struct ptx_cache *cache, const struct cache_key *key,
                         const struct optimiser_output *output)
{
    const char *messages = output->messages ? output->messages : "";
    struct cache_parts parts = {
        .cubin = {(const uint8_t *)output->code, output->code_size},
        .messages = {(const uint8_t *)messages, strlen(messages)},
    };
    ptx_cache_add(cache, key, &parts);
    ptx_cache_send(cache, &key, &parts, 1);
}
