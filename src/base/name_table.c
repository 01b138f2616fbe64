/* Interned names; see name_table.h. */
#include "base/name_table.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_CAPACITY = 128 };

void name_table_init(struct name_table *table, struct arena *arena, size_t entry_size)
{
    *table = (struct name_table){
        .arena = arena, .entry_size = entry_size, .seed = (uint64_t)(uintptr_t)arena};
}

/* The slot that holds the name, or the free one where it belongs. */
static inline struct name_slot *find_slot(const struct name_table *table, const char *text,
                                          size_t size, uint32_t hash)
{
    size_t mask = table->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct name_slot *slot = &table->slots[i];
        if (!slot->name)
            return slot;
        if (slot->hash == hash && slot->name->size == size && !memcmp(slot->name->text, text, size))
            return slot;
    }
}

/* Kept at most half full, so that probes stay short. */
static void grow(struct name_table *table)
{
    struct name_slot *old = table->slots;
    size_t old_capacity = table->capacity;
    table->capacity = old_capacity ? old_capacity * 2 : FIRST_CAPACITY;
    table->slots = ARENA_ARRAY(table->arena, struct name_slot, table->capacity);
    size_t mask = table->capacity - 1;
    for (size_t i = 0; i < old_capacity; i++) {
        if (!old[i].name)
            continue;
        size_t at = old[i].hash & mask;
        while (table->slots[at].name)
            at = (at + 1) & mask;
        table->slots[at] = old[i];
    }
}

static uint32_t hash_of(const struct name_table *table, const char *text, size_t size)
{
    return (uint32_t)XXH3_64bits_withSeed(text, size, table->seed);
}

void *name_table_find(const struct name_table *table, const char *text)
{
    size_t size = strlen(text);
    return table->count ? find_slot(table, text, size, hash_of(table, text, size))->name : NULL;
}

void *name_table_intern_bytes(struct name_table *table, const char *bytes, size_t size)
{
    if (2 * table->count >= table->capacity)
        grow(table);
    uint32_t hash = hash_of(table, bytes, size);
    struct name_slot *slot = find_slot(table, bytes, size, hash);
    if (!slot->name) {
        struct name *name = arena_alloc(table->arena, table->entry_size);
        *name = (struct name){bytes, (uint32_t)size, hash};
        *slot = (struct name_slot){name, hash};
        table->count++;
    }
    return slot->name;
}
