/* The number of threads and processes of a run. */
#ifndef WARPLD_CLI_OPTIONS_THREADS_H
#define WARPLD_CLI_OPTIONS_THREADS_H

#include "cli/options/options.h"

/* The value of --threads; by default the number of processors that this process may use. At least
 * 1. */
unsigned threads_of(const struct command_line *line);

#endif
