/* Thresholds: the sizes from which the linker uses its methods for large links.
 *
 * With WARPLD_SMALL_SCALE, the library treats nearly every link as a large one, so that small tests
 * cover windows, threads and pieces, too. `make check` compiles the library with it for each
 * sanitizer. */
#ifndef WARPLD_BASE_SCALE_H
#define WARPLD_BASE_SCALE_H

#ifdef WARPLD_SMALL_SCALE
#define LARGE_FROM(size, size_in_tests) (size_in_tests)
#else
#define LARGE_FROM(size, size_in_tests) (size)
#endif

#endif
