/* Names, interned once: each distinct string gets one entry whose address stays the same.
 *
 * The owner decides what an entry holds: its structure begins with struct name and the table is
 * created with its size; new entries are zeroed after the name. Looking a name up a second time
 * costs one hash and, as a rule, one comparison. Entries are numbered in the order of interning. */
#ifndef WARPLD_BASE_NAME_TABLE_H
#define WARPLD_BASE_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct name {
    const char *text; /* NUL-terminated; not copied: lives as long as the input it stands in */
    uint32_t size;    /* without the NUL */
    uint32_t offset;  /* for the owner: in a table of strings */
};

/* With the hash beside it another name costs no look at it, nor does growing. */
struct name_slot {
    uint32_t hash;
    uint32_t number; /* of the entry, from 1 in the order of interning; 0: free */
};

/* Entries that are made at once: few, as a small link has few names. */
enum { NAME_TABLE_CHUNK = 8 };

struct name_table {
    struct arena *arena;
    struct name_slot *slots; /* open addressing, capacity a power of two */
    size_t capacity;
    uint32_t count;
    uint32_t chunks_capacity;
    uint8_t **chunks; /* of NAME_TABLE_CHUNK entries */
    uint8_t *spare;   /* zeroed memory for chunks: what slots took before the table grew */
    size_t spare_size;
    size_t entry_size;
    uint64_t seed; /* differs from run to run, so that no file can be made whose names collide */
};

void name_table_init(struct name_table *table, struct arena *arena, size_t entry_size);

/* number: from 1 to the table's count. */
static inline void *name_table_entry(const struct name_table *table, uint32_t number)
{
    uint8_t *chunk = table->chunks[(number - 1) / NAME_TABLE_CHUNK];
    return chunk + (number - 1) % NAME_TABLE_CHUNK * table->entry_size;
}

/* The entry of any bytes, made when it is new. One table holds either names or bytes. */
void *name_table_intern_bytes(struct name_table *table, const char *bytes, size_t size);

/* The entry of a NUL-terminated string, made when it is new. */
static inline void *name_table_intern(struct name_table *table, const char *text)
{
    return name_table_intern_bytes(table, text, strlen(text));
}

/* The entry of what was interned before; NULL when it was not. */
void *name_table_find_bytes(const struct name_table *table, const char *bytes, size_t size);
static inline void *name_table_find(const struct name_table *table, const char *text)
{
    return name_table_find_bytes(table, text, strlen(text));
}

#endif
