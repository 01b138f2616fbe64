/* Names, interned once: each distinct string gets one entry whose address stays the same.
 *
 * The owner decides what an entry holds: its structure begins with struct name and the table is
 * created with its size; new entries are zeroed after the name. Looking a name up a second time
 * costs one hash and, as a rule, one comparison. The order of entries never depends on hashes:
 * iterate in the order of first interning. */
#ifndef WARPLD_BASE_NAME_TABLE_H
#define WARPLD_BASE_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct name {
    const char *text; /* NUL-terminated; not copied: lives as long as the input it stands in */
    uint32_t size;    /* without the NUL */
    uint32_t hash;
};

/* With the hash beside it another name costs no look at it, nor does growing. */
struct name_slot {
    struct name *name; /* NULL: free */
    uint32_t hash;
};

struct name_table {
    struct arena *arena;
    struct name_slot *slots; /* open addressing, capacity a power of two */
    size_t capacity;
    size_t count;
    size_t entry_size;
    uint64_t seed; /* differs from run to run, so that no file can be made whose names collide */
};

void name_table_init(struct name_table *table, struct arena *arena, size_t entry_size);

/* The entry of any bytes, made when it is new. One table holds either names or bytes. */
void *name_table_intern_bytes(struct name_table *table, const char *bytes, size_t size);

/* The entry of a NUL-terminated string, made when it is new. */
static inline void *name_table_intern(struct name_table *table, const char *text)
{
    return name_table_intern_bytes(table, text, strlen(text));
}

/* The entry of a string that was interned before; NULL when it was not. */
void *name_table_find(const struct name_table *table, const char *text);

#endif
