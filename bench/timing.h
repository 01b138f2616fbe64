/* Functions shared by the programs that time calls within one process. */
#ifndef WARPLD_BENCH_TIMING_H
#define WARPLD_BENCH_TIMING_H

#include <stdbool.h>
#include <stddef.h>

/* A clock that only moves forward. */
double microseconds_now(void);

/* Returns the median. Sorts the times. */
double median_of(double *times, size_t count);

/* Reads a file into memory that is never freed. Returns false if it cannot be read. */
bool read_whole_file(const char *path, void **bytes, size_t *size);

#endif
