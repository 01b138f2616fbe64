/* From what size on something is done as for large links.
 *
 * Compiled with WARPLD_SMALL_SCALE, as `make check` does for each sanitizer, the library treats
 * every link as a large one: small tests then go through windows, threads and pieces, too. */
#ifndef WARPLD_BASE_SCALE_H
#define WARPLD_BASE_SCALE_H

#ifdef WARPLD_SMALL_SCALE
#define LARGE_FROM(size, size_in_tests) (size_in_tests)
#else
#define LARGE_FROM(size, size_in_tests) (size)
#endif

#endif
