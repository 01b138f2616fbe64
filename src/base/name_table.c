/* Interned names; see name_table.h. */
#include "base/name_table.h"

#include <string.h>
#include <sys/auxv.h>

/* Makes xxHash read words through a packed type. By default it calls memcpy, which gcc 12 does not
 * inline (the calls take 1 % of the instructions of a small link). */
#define XXH_FORCE_MEMORY_ACCESS 1
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_CAPACITY = 128 };

/* Makes the seed from the 16 random bytes that Linux gives each process (getauxval(3)), and from an
 * address. The address is random, too, if the system randomises addresses. */
static uint64_t random_seed(struct arena *arena)
{
    enum { RANDOM_BYTES = 16 };
    if (!arena->seed) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): the call returns an address as a number */
        const void *bytes = (const void *)getauxval(AT_RANDOM);
        arena->seed = (uint64_t)(uintptr_t)arena;
        if (bytes)
            arena->seed = XXH3_64bits_withSeed(bytes, RANDOM_BYTES, arena->seed);
    }
    return arena->seed;
}

void name_table_init(struct name_table *table, struct arena *arena, size_t entry_size)
{
    *table =
        (struct name_table){.arena = arena, .entry_size = entry_size, .seed = random_seed(arena)};
}

/* The slot that holds the name, or the free slot for it. */
static inline struct name_slot *find_slot(const struct name_table *table, const char *text,
                                          size_t size, uint32_t hash)
{
    size_t mask = table->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct name_slot *slot = &table->slots[i];
        if (!slot->number)
            return slot;
        if (slot->hash != hash)
            continue;
        const struct name *name = name_table_entry(table, slot->number);
        if (name->size == size && !memcmp(name->text, text, size))
            return slot;
    }
}

/* The table grows when three quarters of it are used, so that probe sequences are short. The memory
 * of the old slots is reused for entries. */
static void grow(struct name_table *table)
{
    struct name_slot *old = table->slots;
    size_t old_capacity = table->capacity;
    if (old_capacity > UINT32_MAX / 2) /* entry numbers would overflow */
        table->arena->out_of_memory(table->arena->owner);
    table->capacity = old_capacity ? old_capacity * 2 : FIRST_CAPACITY;
    table->slots = ARENA_ARRAY(table->arena, struct name_slot, table->capacity);
    size_t mask = table->capacity - 1;
    for (size_t i = 0; i < old_capacity; i++) {
        if (!old[i].number)
            continue;
        size_t at = old[i].hash & mask;
        while (table->slots[at].number)
            at = (at + 1) & mask;
        table->slots[at] = old[i];
    }
    table->spare_size = old_capacity * sizeof *old;
    if (old)
        table->spare = memset(old, 0, table->spare_size);
}

static uint8_t *new_chunk(struct name_table *table)
{
    size_t size = NAME_TABLE_CHUNK * table->entry_size;
    if (table->spare_size < size)
        return arena_alloc(table->arena, size);
    uint8_t *chunk = table->spare;
    table->spare += size;
    table->spare_size -= size;
    return chunk;
}

static struct name *add_entry(struct name_table *table)
{
    uint32_t chunks = table->count / NAME_TABLE_CHUNK;
    if (table->count++ % NAME_TABLE_CHUNK == 0) {
        table->chunks = arena_grow(table->arena, table->chunks, chunks, &table->chunks_capacity,
                                   sizeof *table->chunks);
        table->chunks[chunks] = new_chunk(table);
    }
    return name_table_entry(table, table->count);
}

static uint32_t hash_of(const struct name_table *table, const char *text, size_t size)
{
    return (uint32_t)XXH3_64bits_withSeed(text, size, table->seed);
}

void *name_table_find_bytes(const struct name_table *table, const char *bytes, size_t size)
{
    if (!table->count)
        return NULL;
    const struct name_slot *slot = find_slot(table, bytes, size, hash_of(table, bytes, size));
    return slot->number ? name_table_entry(table, slot->number) : NULL;
}

void *name_table_intern_bytes(struct name_table *table, const char *bytes, size_t size)
{
    uint32_t hash = hash_of(table, bytes, size);
    struct name_slot *slot = table->capacity ? find_slot(table, bytes, size, hash) : NULL;
    if (slot && slot->number)
        return name_table_entry(table, slot->number);
    if (table->count >= table->capacity / 4 * 3) {
        grow(table);
        slot = find_slot(table, bytes, size, hash);
    }
    struct name *name = add_entry(table);
    name->text = bytes;
    name->size = (uint32_t)size;
    *slot = (struct name_slot){hash, table->count};
    return name;
}
