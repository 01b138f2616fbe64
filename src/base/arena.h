/* Bump allocation: everything that a link creates lives in one arena and dies with it.
 *
 * There is no free and no failure path at each call: when memory runs out the arena calls its
 * owner's handler, which does not return (the library jumps back to link_run's caller and reports
 * an error). Memory is zeroed. Under AddressSanitizer each allocation is its own red-zoned block.
 */
#ifndef WARPLD_BASE_ARENA_H
#define WARPLD_BASE_ARENA_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct page_feeder;

struct arena {
    struct arena_block *blocks;  /* newest first */
    struct arena_block *growing; /* each with one large array */
    uint8_t *next;               /* free space of the newest block */
    uint8_t *cleared;            /* up to here it is zeroed */
    uint8_t *end;
    size_t reserved;                    /* bytes taken from the system so far */
    size_t limit;                       /* of them, 0 for none; more counts as out of memory */
    void (*out_of_memory)(void *owner); /* must not return */
    void *owner;
    struct page_feeder *feeder; /* gets pages ahead, or NULL */
};

void arena_init(struct arena *arena, void (*out_of_memory)(void *owner), void *owner);
void arena_destroy(struct arena *arena);

/* The same as arena_alloc, but NULL when memory has run out: for those that hold what a jump would
 * lose, an open file, say. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* What every function here does when memory has run out, for who finds that out otherwise. */
__attribute__((cold)) _Noreturn void arena_give_up(struct arena *arena);

/* What arena_alloc does when the cleared space does not suffice. */
void *arena_alloc_slowly(struct arena *arena, size_t size);

/* What is allocated begins at a multiple of this; nothing of ours needs more. */
enum { ARENA_ALIGNMENT = alignof(uint64_t) };

/* size zeroed bytes, aligned. Never NULL; size 0 gives a valid unique address. */
static inline void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t unit = ARENA_ALIGNMENT;
    size_t rounded = ((size ? size : 1) + unit - 1) / unit * unit; /* 0: it overflows */
    if (rounded - 1 >= (size_t)(arena->cleared - arena->next))
        return arena_alloc_slowly(arena, size);
    void *result = arena->next;
    arena->next += rounded;
    return result;
}

/* count * size zeroed bytes; a product that overflows counts as out of memory. */
static inline void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    bool fits = !size || count <= SIZE_MAX / size;
    return fits ? arena_alloc(arena, count * size) : arena_alloc_slowly(arena, SIZE_MAX);
}

/* A NUL-terminated copy of size bytes. */
char *arena_copy_string(struct arena *arena, const char *text, size_t size);

/* One text behind the other: names of sections, of which a link makes many. */
char *arena_join(struct arena *arena, const char *first, const char *second);

/* All of them with the separator between each two. To add each to a text of those before it would
 * take memory with their square. */
char *arena_join_all(struct arena *arena, const char *const *texts, size_t count,
                     const char *separator);

/* printf into the arena. */
__attribute__((format(printf, 2, 3))) char *arena_format(struct arena *arena, const char *format,
                                                         ...);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count)                                                            \
    ((type *)arena_alloc_array((arena), (size_t)(count), sizeof(type)))

/* Room for elements of one type, side by side: passes that walk over all of them wait less for
 * memory. */
struct arena_row {
    uint8_t *next;
    uint32_t left;  /* so many elements more */
    uint32_t taken; /* from all of its rooms */
};

/* What arena_take does when there is not room for so many. */
void arena_add_room(struct arena *arena, struct arena_row *row, uint32_t count, size_t size);

/* So many zeroed elements, side by side; the same size each time. */
static inline void *arena_take(struct arena *arena, struct arena_row *row, uint32_t count,
                               size_t size)
{
    if (row->left < count)
        arena_add_room(arena, row, count, size);
    void *elements = row->next;
    row->next += count * size;
    row->left -= count;
    row->taken += count;
    return elements;
}

/* What arena_grow does when the array is full. */
void *arena_enlarge(struct arena *arena, const void *array, uint32_t count, uint32_t *capacity,
                    size_t size);

/* Makes room for one more element in a growing array: `array` has `count` elements used of
 * `capacity`. Small elements begin with eight, large ones with one, of which most arrays have no
 * more; growth doubles. The old copy of a small array stays in the arena; a large one has a block
 * of its own, which grows where it is or moves without a copy; its capacity grows in small steps,
 * and free room costs no memory. More than 32 bits can count are out of memory. Returns the
 * (possibly moved) array. */
static inline void *arena_grow(struct arena *arena, void *array, uint32_t count, uint32_t *capacity,
                               size_t size)
{
    return count < *capacity ? array : arena_enlarge(arena, array, count, capacity, size);
}

/* Declares the three fields of a growing array inside a struct. */
#define GROWING_ARRAY(type, name)                                                                  \
    type *name;                                                                                    \
    uint32_t name##_count;                                                                         \
    uint32_t name##_capacity

/* Room for so many elements in a GROWING_ARRAY of `holder` that has none yet. */
#define ARENA_RESERVE(arena, holder, name, room)                                                   \
    ((holder)->name##_capacity                                                                     \
         ? (void)0                                                                                 \
         : (void)((holder)->name = arena_alloc_array((arena), (room), sizeof *(holder)->name),     \
                  (holder)->name##_capacity = (uint32_t)(room)))

/* Appends a zeroed element to a GROWING_ARRAY of `holder` and yields its address. */
#define ARENA_APPEND(arena, holder, name)                                                          \
    ((holder)->name = arena_grow((arena), (holder)->name, (holder)->name##_count,                  \
                                 &(holder)->name##_capacity, sizeof *(holder)->name),              \
     &(holder)->name[(holder)->name##_count++])

#endif
