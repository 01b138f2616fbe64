/* A marker for functions that ask the processor to load memory before it is read. */
#ifndef WARPLD_BASE_PREFETCH_H
#define WARPLD_BASE_PREFETCH_H

/* Marks a function that only prefetches, so that it is always inlined. GCC 12 finds no effects in
 * such a function, and removes calls to it that are not inlined. */
#define PREFETCHES inline __attribute__((always_inline))

#endif
