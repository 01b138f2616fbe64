/* The table of --stats: the time and memory that a link uses. */
#ifndef WARPLD_CLI_INSPECT_STATISTICS_H
#define WARPLD_CLI_INSPECT_STATISTICS_H

#include <stddef.h>

#include "compile/ptx_compiler.h"
#include "warpld.h"

enum { MOST_PASSES = 64 };

struct pass_measure {
    const char *name;
    double start; /* when the pass begins, in milliseconds */
    double cpu;
    long peak; /* largest memory size of the process before the pass begins, in KiB */
};

struct pass_measures {
    struct pass_measure passes[MOST_PASSES];
    size_t count;
};

/* Callback for the library. The context is a struct pass_measures. */
void statistics_begin_pass(void *context, const char *name);

/* Prints the time and memory of each pass, then counts of what the link read, wrote and
 * compiled. */
void statistics_print(const struct pass_measures *measures, const struct warpld_link *link,
                      const struct ptx_compiler_counts *ptx);

#endif
