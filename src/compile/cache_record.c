/* An entry of the cache; see cache_record.h. */
#include "compile/cache_record.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const uint8_t MAGIC[8] = {'W', 'A', 'R', 'P', 'L', 'D', 'C', '1'};

/* Offsets of the digest and of the sizes in the head of a record, and the size of the head. The
 * digest covers all bytes from the sizes to the end of the last part. */
enum { DIGEST = 8, SIZES = 24, HEAD = 48 };

static void digest_of(struct bytes bytes, uint64_t *digest)
{
    XXH128_hash_t hash = XXH3_128bits(bytes.data, (size_t)bytes.size);
    digest[0] = hash.low64;
    digest[1] = hash.high64;
}

void cache_key_set(struct cache_key *key, struct bytes bytes)
{
    key->bytes = bytes;
    digest_of(bytes, key->digest);
}

static void digest_of_record(struct bytes record, struct bytes unguarded, uint64_t *digest)
{
    digest_of((struct bytes){record.data + SIZES, record.size - unguarded.size - SIZES}, digest);
}

static uint8_t *put(uint8_t *out, struct bytes part)
{
    if (part.size)
        memcpy(out, part.data, (size_t)part.size);
    return out + part.size;
}

struct bytes cache_record_make(const struct cache_key *key, const struct cache_parts *parts)
{
    uint64_t size =
        HEAD + key->bytes.size + parts->cubin.size + parts->messages.size + parts->unguarded.size;
    uint8_t *record = malloc((size_t)size);
    uint64_t digest[2];
    if (!record)
        return (struct bytes){NULL, 0};
    memcpy(record, MAGIC, sizeof MAGIC);
    store_u64(record + SIZES, key->bytes.size);
    store_u64(record + SIZES + 8, parts->cubin.size);
    store_u64(record + SIZES + 16, parts->messages.size);
    put(put(put(put(record + HEAD, key->bytes), parts->cubin), parts->messages), parts->unguarded);
    digest_of_record((struct bytes){record, size}, parts->unguarded, digest);
    store_u64(record + DIGEST, digest[0]);
    store_u64(record + DIGEST + 8, digest[1]);
    return (struct bytes){record, size};
}

/* Finds the parts; the bytes that follow them are unguarded. Returns false if a part exceeds the
 * record. */
static bool split(struct bytes record, struct bytes *key, struct cache_parts *parts)
{
    uint64_t offset = HEAD;
    struct bytes *all[] = {key, &parts->cubin, &parts->messages};
    if (record.size < HEAD || memcmp(record.data, MAGIC, sizeof MAGIC) != 0)
        return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t size = load_u64(record.data + SIZES + 8 * i);
        if (!bytes_part(record, offset, size, all[i]))
            return false;
        offset += size;
    }
    return bytes_part(record, offset, record.size - offset, &parts->unguarded);
}

bool cache_record_matches(struct bytes record, const struct cache_key *key,
                          struct cache_parts *parts)
{
    struct bytes own = {NULL, 0};
    struct cache_parts found;
    if (!split(record, &own, &found) || found.unguarded.size || !bytes_equal(own, key->bytes))
        return false;
    *parts = found;
    return true;
}

enum cache_record_state cache_record_open_guarded(struct bytes record, const struct cache_key *key,
                                                  struct cache_parts *parts)
{
    struct bytes own = {NULL, 0};
    struct cache_parts found;
    uint64_t digest[2];
    if (!split(record, &own, &found))
        return CACHE_RECORD_DAMAGED;
    digest_of_record(record, found.unguarded, digest);
    if (load_u64(record.data + DIGEST) != digest[0] ||
        load_u64(record.data + DIGEST + 8) != digest[1])
        return CACHE_RECORD_DAMAGED;
    if (!bytes_equal(own, key->bytes))
        return CACHE_RECORD_OTHER;
    *parts = found;
    return CACHE_RECORD_GOOD;
}

enum cache_record_state cache_record_open(struct bytes record, const struct cache_key *key,
                                          struct cache_parts *parts)
{
    struct cache_parts found;
    enum cache_record_state state = cache_record_open_guarded(record, key, &found);
    if (state != CACHE_RECORD_GOOD)
        return state;
    if (found.unguarded.size)
        return CACHE_RECORD_DAMAGED;
    *parts = found;
    return CACHE_RECORD_GOOD;
}
