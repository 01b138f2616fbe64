/* Prepared inputs in the cache folder; see prepared_cache.h.
 *
 * The library does not check the contents of a snapshot, so this cache must not return a wrong one.
 * An entry has digests of the snapshot's blocks, which detect damage of the snapshot; the digest of
 * the whole record detects damage of these digests (cache_record.h). A link checks only those
 * blocks of a snapshot that it reads. The key contains the digest of the input's contents. It also
 * contains this program's identity, because another build may find something else in the same
 * input. */
#include "compile/prepared_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "compile/cache_record.h"
#include "compile/file_identity.h"

static void give_up(struct prepared_cache *cache, const char *failed, int error)
{
    char text[PATH_MAX + 128];
    snprintf(text, sizeof text, "Cannot %s the cache folder '%s': %s", failed, cache->path,
             strerror(error));
    cache->has_failed = true;
    cache->warn(cache->warn_context, text);
}

/* Opens the folder if it is not open yet. If there is no folder, creates it only if
 * `is_to_be_created` is set: when there is a snapshot to store. Returns false if the cache cannot
 * be used, for example without /proc: then this program's identity, which is part of each
 * snapshot's key, is not known. */
static bool is_usable(struct prepared_cache *cache, bool is_to_be_created)
{
    if (cache->has_failed || cache->is_open)
        return !cache->has_failed;
    if (!is_to_be_created && !file_exists(cache->path))
        return false;
    int error = cache_folder_open(&cache->folder, cache->path, cache->limit);
    cache->is_open = true;
    cache->program = file_identity(cache->arena, NULL, "/proc/self/exe");
    if (error)
        give_up(cache, "use", error);
    cache->has_failed |= !cache->program;
    return !cache->has_failed;
}

static void add(struct prepared_cache *cache, const struct cache_key *key,
                const struct cache_parts *parts)
{
    struct bytes record = cache_record_make(key, parts);
    int error = record.data ? cache_folder_add(&cache->folder, key, record) : 0;
    free((void *)record.data);
    if (error)
        give_up(cache, "write to", error);
}

/* --------------------------------------------------------------------------------------------- */
/* Keys                                                                                          */

/* Makes a key from the text. The text is padded with spaces to a multiple of 8 bytes. This aligns
 * the value, which follows the key in an entry, to 8 bytes. */
static struct cache_key key_of(struct arena *arena, const char *text)
{
    struct cache_key key;
    size_t padded = (size_t)align_up(strlen(text), 8);
    const char *bytes = arena_format(arena, "%-*s", (int)padded, text);
    cache_key_set(&key, (struct bytes){(const uint8_t *)bytes, padded});
    return key;
}

static struct cache_key key_of_contents(const struct prepared_cache *cache,
                                        const struct warpld_prepared_input *input,
                                        const uint64_t *digest)
{
    return key_of(cache->arena,
                  arena_format(cache->arena, "warpld prepared 2\n%s\n%s\n%016llx%016llx %zu",
                               cache->program, input->form, (unsigned long long)digest[1],
                               (unsigned long long)digest[0], input->data_size));
}

static struct cache_key key_of_file(const struct prepared_cache *cache,
                                    const struct warpld_prepared_input *input)
{
    return key_of(cache->arena,
                  arena_format(cache->arena, "warpld input 1\n%llx %llx %zu %lld %lld",
                               (unsigned long long)input->device, (unsigned long long)input->inode,
                               input->data_size, (long long)input->modified,
                               (long long)input->changed));
}

/* --------------------------------------------------------------------------------------------- */
/* Digests of inputs                                                                             */

static void digest_contents(const struct warpld_prepared_input *input, uint64_t *digest)
{
    struct cache_key key;
    cache_key_set(&key, (struct bytes){input->data, input->data_size});
    memcpy(digest, key.digest, sizeof key.digest);
}

/* Returns false if the digest of this version of the file is not known. */
static bool find_digest(const struct prepared_cache *cache,
                        const struct warpld_prepared_input *input, uint64_t *digest)
{
    struct cache_key key = key_of_file(cache, input);
    struct cache_parts parts;
    if (!input->inode)
        return false;
    struct bytes record = cache_folder_find(&cache->folder, &key, &parts);
    bool is_found = record.data && parts.cubin.size == 2 * sizeof *digest;
    for (size_t i = 0; is_found && i < 2; i++)
        digest[i] = load_u64(parts.cubin.data + i * sizeof *digest);
    free((void *)record.data);
    return is_found;
}

/* Returns true if the times of the file will show each later change. File systems round times to
 * steps of up to two seconds. So a file that changed within the last two seconds can change again
 * and keep the same time. */
static bool has_settled(const struct warpld_prepared_input *input)
{
    const int64_t second = 1000000000;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return input->inode && now.tv_sec * second + now.tv_nsec - input->changed > 2 * second;
}

static void add_digest(struct prepared_cache *cache, const struct warpld_prepared_input *input,
                       const uint64_t *digest)
{
    uint8_t value[2 * sizeof *digest];
    if (!has_settled(input))
        return;
    struct cache_key key = key_of_file(cache, input);
    for (size_t i = 0; i < 2; i++)
        store_u64(value + i * sizeof *digest, digest[i]);
    add(cache, &key, &(struct cache_parts){.cubin = {value, sizeof value}});
}

/* --------------------------------------------------------------------------------------------- */
/* The callbacks                                                                                 */

/* Maps the snapshot of the input. Returns no bytes if the cache has none. */
static struct bytes find_snapshot(struct prepared_cache *cache,
                                  const struct warpld_prepared_input *input, const uint64_t *digest)
{
    struct cache_parts parts;
    struct mapped_entry entry = {.key = key_of_contents(cache, input, digest)};
    entry.record = cache_folder_map(&cache->folder, &entry.key, &parts);
    if (!entry.record.data)
        return entry.record;
    *ARENA_APPEND(cache->arena, cache, mapped) = entry;
    struct block_digests *digests = &cache->mapped[cache->mapped_count - 1].digests;
    if (block_digests_open(digests, parts.unguarded, parts.cubin, cache->arena))
        return parts.unguarded;
    cache_folder_remove(&cache->folder, &entry.key);
    return (struct bytes){NULL, 0};
}

bool prepared_cache_find(void *context, const struct warpld_prepared_input *input,
                         const void **data, size_t *data_size)
{
    struct prepared_cache *cache = context;
    struct looked_for *looked_for = ARENA_APPEND(cache->arena, cache, inputs);
    struct bytes snapshot = {NULL, 0};
    looked_for->data = input->data;
    bool is_open = is_usable(cache, false);
    bool is_known = is_open && find_digest(cache, input, looked_for->digest);
    if (!is_known)
        digest_contents(input, looked_for->digest);
    if (is_open)
        snapshot = find_snapshot(cache, input, looked_for->digest);
    if (!snapshot.data)
        return false;
    if (!is_known)
        add_digest(cache, input, looked_for->digest);
    *data = snapshot.data;
    *data_size = (size_t)snapshot.size;
    return true;
}

/* Finds the entry whose snapshot has the address. The library asks for the same entry several times
 * in a row, and for different entries nearly in the order of `mapped`. So the search begins at the
 * entry that was found last. */
static const struct mapped_entry *find_entry(struct prepared_cache *cache, const void *data)
{
    size_t first = atomic_load_explicit(&cache->next_mapped, memory_order_relaxed);
    for (size_t i = 0; i < cache->mapped_count; i++) {
        size_t index = (first + i) % cache->mapped_count;
        struct bytes snapshot = cache->mapped[index].digests.bytes;
        if ((uintptr_t)data - (uintptr_t)snapshot.data < snapshot.size) {
            atomic_store_explicit(&cache->next_mapped, index, memory_order_relaxed);
            return &cache->mapped[index];
        }
    }
    return NULL;
}

bool prepared_cache_check(void *context, const void *data, size_t data_size)
{
    struct prepared_cache *cache = context;
    const struct mapped_entry *entry = find_entry(cache, data);
    if (entry && block_digests_match(&entry->digests, (struct bytes){data, data_size}))
        return true;
    if (entry)
        cache_folder_remove(&cache->folder, &entry->key);
    return false;
}

/* Finds the input whose contents begin at `data`. A link stores snapshots nearly in the order in
 * which it looked for them. So the search begins after the input that was found last. */
static const struct looked_for *find_input(struct prepared_cache *cache, const void *data)
{
    for (size_t i = 0; i < cache->inputs_count; i++) {
        size_t index = (cache->next_input + i) % cache->inputs_count;
        if (cache->inputs[index].data == data) {
            cache->next_input = index + 1;
            return &cache->inputs[index];
        }
    }
    return NULL;
}

/* Adds an entry with the snapshot. The snapshot is aligned, because it follows the key and the
 * table of digests, whose sizes are multiples of 8 bytes. */
static void add_snapshot(struct prepared_cache *cache, const struct warpld_prepared_input *input,
                         const uint64_t *digest, struct bytes snapshot)
{
    struct cache_key key = key_of_contents(cache, input, digest);
    uint64_t size = block_digests_table_size(snapshot.size);
    uint8_t *table = arena_alloc(cache->arena, (size_t)size);
    block_digests_write(snapshot, table);
    add(cache, &key, &(struct cache_parts){.cubin = {table, size}, .unguarded = snapshot});
}

/* Reads the input again. If its digest changed during the link, the snapshot may describe neither
 * version, so it is not kept. */
void prepared_cache_keep(void *context, const struct warpld_prepared_input *input, const void *data,
                         size_t data_size)
{
    struct prepared_cache *cache = context;
    const struct looked_for *before = find_input(cache, input->data);
    uint64_t digest[2];
    if (!before || !is_usable(cache, true))
        return;
    digest_contents(input, digest);
    if (memcmp(digest, before->digest, sizeof digest) != 0)
        return;
    add_snapshot(cache, input, digest, (struct bytes){data, data_size});
    add_digest(cache, input, digest);
}

void prepared_cache_close(struct prepared_cache *cache)
{
    for (size_t i = 0; i < cache->mapped_count; i++)
        cache_folder_unmap(cache->mapped[i].record);
    if (cache->is_open)
        cache_folder_close(&cache->folder);
}
