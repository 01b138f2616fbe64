/* The number of threads and processes of a run. */
#ifndef WARPLD_CLI_OPTIONS_THREADS_H
#define WARPLD_CLI_OPTIONS_THREADS_H

#include "cli/options/options.h"

/* Returns the value of --threads or, without this option, the number of processors that this
 * process may use. The result is at least 1. */
unsigned threads_of(const struct command_line *line);

#endif
