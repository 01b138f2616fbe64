/* Interned names: each distinct string has one entry, whose address never changes.
 *
 * The owner defines the type of an entry: a structure that begins with struct name. The table is
 * created with the size of this structure. The fields after the name are zero in new entries.
 * Finding a name costs one hash and, as a rule, one comparison. Entries are numbered in the order
 * of interning. */
#ifndef WARPLD_BASE_NAME_TABLE_H
#define WARPLD_BASE_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct name {
    /* The text that the caller gave, not a copy: it must be valid as long as the table is used. A
     * name is NUL-terminated; other bytes need not be. */
    const char *text;
    uint32_t size;   /* without the NUL */
    uint32_t offset; /* set by the owner: offset in a string table */
};

/* A slot of the hash table. The slot also stores the hash of the name. So the entry need not be
 * read when another name is searched for, or when the table grows. */
struct name_slot {
    uint32_t hash;
    uint32_t number; /* of the entry, from 1 in the order of interning; 0 in a free slot */
};

/* Number of entries that are allocated at a time: few, because a small link has few names. */
enum { NAME_TABLE_CHUNK = 8 };

struct name_table {
    struct arena *arena;
    struct name_slot *slots; /* open addressing, capacity a power of two */
    size_t capacity;
    uint32_t count;
    uint32_t chunks_capacity;
    uint8_t **chunks; /* of NAME_TABLE_CHUNK entries */
    /* Zeroed memory for further chunks. The slots that the table had before it grew are reused. */
    uint8_t *spare;
    size_t spare_size;
    size_t entry_size;
    uint64_t seed; /* differs from run to run, so that nobody can craft names that collide */
};

void name_table_init(struct name_table *table, struct arena *arena, size_t entry_size);

/* Requires 1 <= number <= the table's count. */
static inline void *name_table_entry(const struct name_table *table, uint32_t number)
{
    uint8_t *chunk = table->chunks[(number - 1) / NAME_TABLE_CHUNK];
    return chunk + (number - 1) % NAME_TABLE_CHUNK * table->entry_size;
}

/* Returns the entry of these bytes, and creates it if there is none. One table must not hold both
 * names and other bytes. */
void *name_table_intern_bytes(struct name_table *table, const char *bytes, size_t size);

/* Returns the entry of a NUL-terminated string, and creates it if there is none. */
static inline void *name_table_intern(struct name_table *table, const char *text)
{
    return name_table_intern_bytes(table, text, strlen(text));
}

/* Returns the entry of a string, or NULL if the string was not interned before. */
void *name_table_find_bytes(const struct name_table *table, const char *bytes, size_t size);
static inline void *name_table_find(const struct name_table *table, const char *text)
{
    return name_table_find_bytes(table, text, strlen(text));
}

#endif
