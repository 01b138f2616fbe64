/* Functions that ask the processor to load memory that is read soon after. */
#ifndef WARPLD_BASE_PREFETCH_H
#define WARPLD_BASE_PREFETCH_H

/* Marks a function that only prefetches: GCC 12 finds no effects in it, and removes the calls of it
 * that it has not inlined before. */
#define PREFETCHES inline __attribute__((always_inline))

#endif
