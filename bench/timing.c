/* The clock, the median and the file reader of the timing programs; see timing.h. */
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double microseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

double median_of(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_size);
    return times[count / 2];
}

bool read_whole_file(const char *path, void **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    long end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    *size = end < 0 ? 0 : (size_t)end;
    *bytes = end < 0 ? NULL : malloc(*size + 1);
    rewind(file);
    bool is_read = *bytes && fread(*bytes, 1, *size, file) == *size;
    fclose(file);
    return is_read;
}
