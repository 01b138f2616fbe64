/* Bump allocation; see arena.h. */
#define _GNU_SOURCE /* mremap */
#include "base/arena.h"

#include <assert.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/page_feeder.h"
#include "base/scale.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_RED_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_RED_ZONES 1
#endif
#endif
#ifndef ARENA_RED_ZONES
#define ARENA_RED_ZONES 0
#endif
#if ARENA_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

struct arena_block {
    struct arena_block *older;
    size_t mapped_size; /* 0: the block is from malloc */
    alignas(max_align_t) uint8_t bytes[];
};

/* The first block suffices for a small link. Later blocks grow with the memory in use, so that the
 * number of blocks grows only with the logarithm of the memory. */
enum { FIRST_BLOCK_SIZE = 64 << 10, LARGEST_GROWTH = 16 << 20 };

/* Blocks larger than LARGEST_DIRTY_BLOCK bytes come zeroed from the system. Smaller blocks are
 * cleared as they are used, in steps of CLEARED_AHEAD bytes. */
enum { LARGEST_DIRTY_BLOCK = 96 << 10, CLEARED_AHEAD = 1 << 10 };

/* Blocks of at least LEAST_MAPPED_BLOCK bytes are mapped. Their pages are populated PAGES_AHEAD
 * bytes ahead of their use. */
enum { LEAST_MAPPED_BLOCK = LARGE_FROM(128 << 10, 64 << 10), PAGES_AHEAD = 256 << 10 };

void arena_init(struct arena *arena, void (*out_of_memory)(void *owner), void *owner)
{
    *arena = (struct arena){.out_of_memory = out_of_memory, .owner = owner};
}

_Noreturn void arena_jump(void *owner)
{
    jmp_buf *target = owner;
    longjmp(*target, 1);
}

static void free_blocks(const struct memory_source *source, struct arena_block *block)
{
    while (block) {
        struct arena_block *older = block->older;
        if (source)
            source->release(source->context, block);
        else if (block->mapped_size)
            munmap(block, block->mapped_size);
        else
            free(block);
        block = older;
    }
}

void arena_destroy(struct arena *arena)
{
    free_blocks(arena->source, arena->blocks);
    free_blocks(arena->source, arena->growing);
    arena->blocks = arena->growing = NULL;
    arena->next = arena->cleared = arena->end = NULL;
}

static bool is_dirty_size(size_t size)
{
    return size <= LARGEST_DIRTY_BLOCK;
}

static struct arena_block *map_block(size_t size)
{
    struct arena_block *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    block->mapped_size = size;
    return block;
}

/* Takes a block of memory that the user of the library provides. This memory may be dirty, so a
 * large block is cleared here. A small block is cleared as it is used. */
static struct arena_block *take_block(const struct memory_source *source, size_t size)
{
    struct arena_block *block = source->allocate(source->context, size);
    if (block && is_dirty_size(size))
        block->mapped_size = 0;
    else if (block)
        memset(block, 0, size);
    return block;
}

static struct arena_block *allocate_block(const struct memory_source *source, size_t size)
{
    if (source)
        return take_block(source, size);
    if (size >= LEAST_MAPPED_BLOCK && !ARENA_RED_ZONES)
        return map_block(size);
    struct arena_block *block = is_dirty_size(size) ? malloc(size) : calloc(1, size);
    if (block)
        block->mapped_size = 0;
    return block;
}

static bool take_from_budget(struct memory_budget *budget, size_t size)
{
    size_t left = atomic_load_explicit(&budget->left, memory_order_relaxed);
    do
        if (left < size)
            return false;
    while (!atomic_compare_exchange_weak(&budget->left, &left, left - size));
    return true;
}

/* Adds `size` to the bytes that all blocks take. Returns false if the sum would exceed a limit. */
static bool reserve(struct arena *arena, size_t size)
{
    bool is_within =
        !arena->limit || (arena->reserved < arena->limit && size < arena->limit - arena->reserved);
    if (!is_within || (arena->budget && !take_from_budget(arena->budget, size)))
        return false;
    arena->reserved += size;
    return true;
}

/* Undoes reserve if the memory cannot be allocated. */
static void unreserve(struct arena *arena, size_t size)
{
    arena->reserved -= size;
    if (arena->budget)
        atomic_fetch_add(&arena->budget->left, size);
}

_Noreturn void arena_give_up(struct arena *arena)
{
    arena->out_of_memory(arena->owner);
    abort(); /* the handler must not return */
}

static struct arena_block *new_block(struct arena *arena, size_t size)
{
    struct arena_block *block;
    if (size > SIZE_MAX - sizeof *block || !reserve(arena, sizeof *block + size))
        return NULL;
    block = allocate_block(arena->source, sizeof *block + size);
    if (!block) {
        unreserve(arena, sizeof *block + size);
        return NULL;
    }
    block->older = arena->blocks;
    arena->blocks = block;
    return block;
}

/* Allocates a separate block for a large object. The block is inserted after the current one in the
 * list, so that the current block's free space remains usable. */
static void *alloc_separately(struct arena *arena, size_t size)
{
    struct arena_block *current = arena->blocks;
    struct arena_block *block = new_block(arena, size);
    if (!block)
        return NULL;
    if (current && !ARENA_RED_ZONES) {
        block->older = current->older;
        current->older = block;
        arena->blocks = current;
    }
    return is_dirty_size(size) ? memset(block->bytes, 0, size) : block->bytes;
}

/* Asks the page feeder to populate the pages that follow the cleared part. */
static void request_pages(struct arena *arena)
{
    const size_t most = (size_t)2 * PAGES_AHEAD, rest = (size_t)(arena->end - arena->cleared);
    page_feeder_request(arena->feeder, arena->cleared, rest < most ? rest : most);
}

/* Populates the pages of this memory that the page feeder has not populated yet. */
static void populate_pages(const struct arena *arena, uint8_t *start, size_t size)
{
    size_t ready = arena->feeder ? page_feeder_ready(arena->feeder, start) : 0;
    if (ready < size)
        pages_populate(start + ready, size - ready);
}

/* Zeroes the free space that the next `size` bytes need, and some more. */
static void clear_ahead(struct arena *arena, size_t size)
{
    if (size <= (size_t)(arena->cleared - arena->next))
        return;
    bool is_mapped = arena->blocks->mapped_size != 0;
    size_t rest = (size_t)(arena->end - arena->cleared);
    size_t wanted =
        size - (size_t)(arena->cleared - arena->next) + (is_mapped ? PAGES_AHEAD : CLEARED_AHEAD);
    size_t cleared = wanted < rest ? wanted : rest;
    if (is_mapped)
        populate_pages(arena, arena->cleared, cleared);
    else
        memset(arena->cleared, 0, cleared);
    arena->cleared += cleared;
    if (is_mapped && arena->feeder)
        request_pages(arena);
}

void *arena_try_alloc(struct arena *arena, size_t size)
{
    const size_t unit = ARENA_ALIGNMENT;
    if (size > SIZE_MAX - unit)
        return NULL;
    size = (size + unit - 1) / unit * unit + (size == 0 ? unit : 0);
    if (ARENA_RED_ZONES)
        return alloc_separately(arena, size);
    if (size > (size_t)(arena->end - arena->next)) {
        size_t growth = arena->reserved < LARGEST_GROWTH ? arena->reserved : LARGEST_GROWTH;
        size_t block_size = growth > FIRST_BLOCK_SIZE ? growth : FIRST_BLOCK_SIZE;
        if (size > block_size / 4)
            return alloc_separately(arena, size);
        struct arena_block *block = new_block(arena, block_size);
        if (!block)
            return NULL;
        arena->next = block->bytes;
        arena->end = block->bytes + block_size;
        bool is_zeroed = !is_dirty_size(block_size) && !block->mapped_size;
        arena->cleared = is_zeroed ? arena->end : arena->next;
    }
    clear_ahead(arena, size);
    void *result = arena->next;
    arena->next += size;
    return result;
}

void *arena_alloc_slowly(struct arena *arena, size_t size)
{
    void *result = arena_try_alloc(arena, size);
    if (!result)
        arena_give_up(arena);
    return result;
}

/* Allocates elements in proportion to those taken so far, because a small link must not clear
 * memory that it does not need. */
void arena_refill(struct arena *arena, struct arena_row *row, uint32_t count, size_t size)
{
    enum { LEAST = 4, LARGEST_REFILL = 32 << 10, PART = 4 };
    uint32_t wanted = row->taken / PART, most = LARGEST_REFILL / (uint32_t)size;
    row->left = wanted < LEAST ? LEAST : wanted > most ? most : wanted;
    if (ARENA_RED_ZONES || row->left < count)
        row->left = count;
    row->next = arena_alloc_array(arena, row->left, size);
}

char *arena_copy_string(struct arena *arena, const char *text, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);
    memcpy(copy, text, size);
    return copy;
}

char *arena_join(struct arena *arena, const char *first, const char *second)
{
    size_t first_size = strlen(first), second_size = strlen(second);
    char *text = arena_alloc(arena, first_size + second_size + 1);
    memcpy(text, first, first_size); /* NOLINT(bugprone-not-null-terminated-result) */
    memcpy(text + first_size, second, second_size + 1);
    return text;
}

char *arena_join_all(struct arena *arena, const char *const *texts, size_t count,
                     const char *separator)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + strlen(separator);
    char *joined = arena_alloc(arena, size), *end = joined;
    for (size_t i = 0; i < count; i++)
        end = stpcpy(stpcpy(end, i ? separator : ""), texts[i]);
    return joined;
}

/* A text that does not fit the buffer is formatted a second time, into the arena. */
char *arena_format(struct arena *arena, const char *format, ...)
{
    char buffer[256] = "";
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int result = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    size_t size = result < 0 ? 0 : (size_t)result;
    char *text = arena_alloc(arena, size + 1);
    if (size < sizeof buffer)
        memcpy(text, buffer, size);
    else
        vsnprintf(text, size + 1, format, again);
    va_end(again);
    return text;
}

/* The smallest block for one large array. An array of at least half this size moves into such a
 * block when it grows. */
enum { LEAST_GROWING_BLOCK = 256 << 10 };

/* Returns the pointer in the list of growing blocks that points to the array's block. If the array
 * has no block, returns the last pointer of the list, which is NULL. The search is linear because a
 * link has few such arrays. */
static struct arena_block **find_growing(struct arena *arena, const void *array)
{
    struct arena_block **link = &arena->growing;
    while (*link && (*link)->bytes != array)
        link = &(*link)->older;
    return link;
}

static struct arena_block *begin_growing(struct arena *arena, const void *array, size_t used,
                                         size_t size)
{
    struct arena_block *block = NULL;
    if (size <= SIZE_MAX - sizeof *block && reserve(arena, sizeof *block + size))
        block = map_block(sizeof *block + size);
    if (!block)
        arena_give_up(arena);
    block->older = arena->growing;
    arena->growing = block;
    memcpy(block->bytes, array, used);
    return block;
}

static struct arena_block *enlarge_block(struct arena *arena, struct arena_block **link,
                                         size_t size)
{
    size_t old_size = (*link)->mapped_size, new_size = sizeof **link + size;
    if (!reserve(arena, new_size - old_size))
        arena_give_up(arena);
    struct arena_block *block = mremap(*link, old_size, new_size, MREMAP_MAYMOVE);
    if (block == MAP_FAILED)
        arena_give_up(arena);
    block->mapped_size = new_size;
    *link = block;
    return block;
}

/* Makes AddressSanitizer report accesses to the array's old address after the array has moved. */
static void forbid(const void *array, size_t size)
{
#if ARENA_RED_ZONES
    ASAN_POISON_MEMORY_REGION(array, size);
#else
    (void)array;
    (void)size;
#endif
}

/* A full large array grows by 1/PART_OF_ARRAY of its size, but by at least LEAST_STEP bytes. Its
 * first block has twice the array's size, so that the first step fits into the block. */
enum { LEAST_STEP = LEAST_GROWING_BLOCK / 4, PART_OF_ARRAY = 32 };

/* Returns a large array's block, enlarged to at least `size` bytes. Requires: size < 2 * used. */
static struct arena_block *large_block(struct arena *arena, const void *array, size_t used,
                                       size_t size)
{
    struct arena_block **link = find_growing(arena, array);
    if (!*link)
        return begin_growing(arena, array, used, used * 2);
    size_t capacity = (*link)->mapped_size - sizeof **link;
    if (capacity > SIZE_MAX / 4)
        arena_give_up(arena);
    return size <= capacity ? *link : enlarge_block(arena, link, capacity * 2);
}

/* Increases the capacity of a large array by one step, and populates the pages of this step with
 * one call. A full block doubles its size. Its pages beyond the array's capacity take no memory,
 * because they are not populated. */
static void *enlarge_large(struct arena *arena, const void *array, uint32_t *capacity, size_t size)
{
    size_t used = *capacity * size, part = used / PART_OF_ARRAY;
    size_t elements = (part > LEAST_STEP ? part : LEAST_STEP) / size + 1;
    struct arena_block *block = large_block(arena, array, used, used + elements * size);
    assert(used + elements * size <= block->mapped_size - sizeof *block);
    pages_populate(block->bytes + used, elements * size);
    *capacity += (uint32_t)elements;
    return block->bytes;
}

void *arena_enlarge(struct arena *arena, const void *array, uint32_t count, uint32_t *capacity,
                    size_t size)
{
    enum { LARGE_ELEMENT = 32 };
    uint32_t first = size < LARGE_ELEMENT ? 8 : 1;
    if (*capacity > UINT32_MAX / 2)
        arena_give_up(arena);
    bool is_mapped = !ARENA_RED_ZONES && !arena->source;
    if (is_mapped && count && count == *capacity && count >= LEAST_GROWING_BLOCK / 2 / size)
        return enlarge_large(arena, array, capacity, size);
    uint32_t larger = *capacity ? *capacity * 2 : first;
    *capacity = larger;
    void *copy = arena_alloc_array(arena, larger, size);
    if (count) {
        memcpy(copy, array, count * size);
        forbid(array, count * size);
    }
    return copy;
}
