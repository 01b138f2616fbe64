/* Digests of blocks of data; see block_digests.h. */
#include "compile/block_digests.h"

#include "compile/cache_record.h"

/* Sizes in bytes of a block and of a digest. Larger blocks would make a link check more bytes than
 * it needs. Smaller blocks would make the table larger: with blocks of 4096 bytes the table takes
 * 104 KB for 26 MB of data. */
enum { BLOCK = 4096, DIGEST = 16 };

static uint64_t block_count(uint64_t size)
{
    return size / BLOCK + (size % BLOCK != 0);
}

uint64_t block_digests_table_size(uint64_t size)
{
    return block_count(size) * DIGEST;
}

static struct bytes block_of(struct bytes bytes, uint64_t index)
{
    uint64_t offset = index * BLOCK, rest = bytes.size - offset;
    return (struct bytes){bytes.data + offset, rest < BLOCK ? rest : BLOCK};
}

void block_digests_write(struct bytes bytes, uint8_t *table)
{
    struct cache_key key;
    for (uint64_t i = 0; i < block_count(bytes.size); i++) {
        cache_key_set(&key, block_of(bytes, i));
        store_u64(table + i * DIGEST, key.digest[0]);
        store_u64(table + i * DIGEST + 8, key.digest[1]);
    }
}

bool block_digests_open(struct block_digests *digests, struct bytes bytes, struct bytes table,
                        struct arena *arena)
{
    if (table.size != block_digests_table_size(bytes.size))
        return false;
    *digests = (struct block_digests){
        .bytes = bytes,
        .table = table,
        .known = ARENA_ARRAY(arena, _Atomic bool, block_count(bytes.size)),
    };
    return true;
}

static bool block_matches(const struct block_digests *digests, uint64_t index)
{
    const uint8_t *expected = digests->table.data + index * DIGEST;
    struct cache_key key;
    cache_key_set(&key, block_of(digests->bytes, index));
    return load_u64(expected) == key.digest[0] && load_u64(expected + 8) == key.digest[1];
}

bool block_digests_match(const struct block_digests *digests, struct bytes part)
{
    uint64_t offset = (uint64_t)(part.data - digests->bytes.data);
    for (uint64_t i = offset / BLOCK; i < block_count(offset + part.size); i++) {
        if (atomic_load_explicit(&digests->known[i], memory_order_relaxed))
            continue;
        if (!block_matches(digests, i))
            return false;
        atomic_store_explicit(&digests->known[i], true, memory_order_relaxed);
    }
    return true;
}
