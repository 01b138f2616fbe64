/* An arena: a bump allocator whose allocations are all freed together. A link has one arena, and
 * further ones for the threads that open its inputs.
 *
 * Callers need not check for failure. When memory runs out, the arena calls its owner's handler,
 * which must not return. The handler of a link's arena jumps back to the library function that the
 * user called, and this function reports an error. Memory is zeroed. Under AddressSanitizer each
 * allocation is a separate block, so that it has red zones.
 */
#ifndef WARPLD_BASE_ARENA_H
#define WARPLD_BASE_ARENA_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct page_feeder;

/* Memory that the user of the library provides. Both functions must be safe for calls from several
 * threads. */
struct memory_source {
    /* Returns memory that is aligned for every type, or NULL if no memory is left. */
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory);
    void *context;
};

/* The memory that several arenas may take together. Each arena belongs to one thread. */
struct memory_budget {
    _Atomic size_t left; /* bytes */
};

struct arena {
    struct arena_block *blocks;  /* newest first */
    struct arena_block *growing; /* blocks that hold one large array each */
    uint8_t *next;               /* start of the free space in the newest block */
    uint8_t *cleared;            /* end of the zeroed part of this space */
    uint8_t *end;                /* end of this space */
    size_t reserved;             /* bytes taken from the system so far */
    /* The largest value that `reserved` may have; 0: no limit. If a new block would exceed the
     * limit, the arena treats this as a lack of memory. */
    size_t limit;
    /* A second limit, shared with other arenas; NULL: none. It applies to blocks that are allocated
     * after it is set. */
    struct memory_budget *budget;
    void (*out_of_memory)(void *owner); /* must not return */
    void *owner;
    /* The seed of the hashes in the name tables of this arena; 0 until the first table. */
    uint64_t seed;
    struct page_feeder *feeder; /* populates pages ahead of their use, or NULL */
    /* The source of the memory of all blocks; NULL: the system. Set before the first block. */
    const struct memory_source *source;
};

void arena_init(struct arena *arena, void (*out_of_memory)(void *owner), void *owner);
void arena_destroy(struct arena *arena);

/* An out_of_memory handler that ends in longjmp with the value 1. Its owner must be a jmp_buf. */
_Noreturn void arena_jump(void *owner);

/* Like arena_alloc, but returns NULL when memory has run out: for callers that own a resource, such
 * as an open file, that a jump would leak. */
void *arena_try_alloc(struct arena *arena, size_t size);

/* Calls the arena's out_of_memory handler. The functions of this file call it when memory has run
 * out; a caller that detects a lack of memory itself can call it, too. */
__attribute__((cold)) _Noreturn void arena_give_up(struct arena *arena);

/* The slow path of arena_alloc, for when the cleared space does not suffice. */
void *arena_alloc_slowly(struct arena *arena, size_t size);

/* Alignment of every allocation; no type in the linker needs more. */
enum { ARENA_ALIGNMENT = alignof(uint64_t) };

/* Returns `size` zeroed bytes, aligned. Never NULL; size 0 gives a valid unique address. */
static inline void *arena_alloc(struct arena *arena, size_t size)
{
    const size_t unit = ARENA_ALIGNMENT;
    /* After an overflow `rounded` is 0, and `rounded - 1` is so large that the slow path fails. */
    size_t rounded = ((size ? size : 1) + unit - 1) / unit * unit;
    if (rounded - 1 >= (size_t)(arena->cleared - arena->next))
        return arena_alloc_slowly(arena, size);
    void *result = arena->next;
    arena->next += rounded;
    return result;
}

/* Returns count * size zeroed bytes. A product that overflows is treated as a lack of memory. */
static inline void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    bool fits = !size || count <= SIZE_MAX / size;
    return fits ? arena_alloc(arena, count * size) : arena_alloc_slowly(arena, SIZE_MAX);
}

/* A NUL-terminated copy of `size` bytes. */
char *arena_copy_string(struct arena *arena, const char *text, size_t size);

/* The concatenation of two strings, in the arena. */
char *arena_join(struct arena *arena, const char *first, const char *second);

/* Joins all strings, with the separator between them. Appending them one by one would take memory
 * that grows with the square of their number. */
char *arena_join_all(struct arena *arena, const char *const *texts, size_t count,
                     const char *separator);

/* Formats like printf, into the arena. */
__attribute__((format(printf, 2, 3))) char *arena_format(struct arena *arena, const char *format,
                                                         ...);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count)                                                            \
    ((type *)arena_alloc_array((arena), (size_t)(count), sizeof(type)))

/* A pool of elements of one type, which are adjacent in memory: passes that visit all of them have
 * fewer cache misses. */
struct arena_row {
    uint8_t *next;
    uint32_t left;  /* elements that are still free */
    uint32_t taken; /* elements handed out so far */
};

/* The slow path of arena_take: allocates space for at least `count` elements. */
void arena_refill(struct arena *arena, struct arena_row *row, uint32_t count, size_t size);

/* Returns `count` adjacent zeroed elements; `size` must be the same in each call for a row. */
static inline void *arena_take(struct arena *arena, struct arena_row *row, uint32_t count,
                               size_t size)
{
    if (row->left < count)
        arena_refill(arena, row, count, size);
    void *elements = row->next;
    row->next += count * size;
    row->left -= count;
    row->taken += count;
    return elements;
}

/* The slow path of arena_grow, for when the array is full. */
void *arena_enlarge(struct arena *arena, const void *array, uint32_t count, uint32_t *capacity,
                    size_t size);

/* Ensures space for one more element in a growing array, of which `count` of `capacity` elements
 * are used. Returns the array, which may have moved. The first capacity is eight for small elements
 * and one for large ones, because most arrays of large elements have only one.
 *
 * The capacity of a small array doubles with each growth, and the old copy remains in the arena. A
 * large array has its own block, which grows in place or is remapped without a copy. Its capacity
 * grows in small steps, and the part of the block beyond the capacity takes no memory. If the arena
 * has a `source`, all arrays grow like small ones. An array with a capacity of 2^31 elements or
 * more cannot grow, which is treated as a lack of memory. */
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

/* Sets the capacity of a GROWING_ARRAY of `holder`. Does nothing if the array has a capacity
 * already. */
#define ARENA_RESERVE(arena, holder, name, capacity)                                               \
    ((holder)->name##_capacity                                                                     \
         ? (void)0                                                                                 \
         : (void)((holder)->name = arena_alloc_array((arena), (capacity), sizeof *(holder)->name), \
                  (holder)->name##_capacity = (uint32_t)(capacity)))

/* Appends a zeroed element to a GROWING_ARRAY of `holder` and evaluates to its address. */
#define ARENA_APPEND(arena, holder, name)                                                          \
    ((holder)->name = arena_grow((arena), (holder)->name, (holder)->name##_count,                  \
                                 &(holder)->name##_capacity, sizeof *(holder)->name),              \
     &(holder)->name[(holder)->name##_count++])

#endif
