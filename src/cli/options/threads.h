/* How many threads and processes a run may have at work. */
#ifndef WARPLD_CLI_OPTIONS_THREADS_H
#define WARPLD_CLI_OPTIONS_THREADS_H

#include "cli/options/options.h"

/* What --threads says; by default as many as the system lets this process have. At least 1. */
unsigned threads_of(const struct command_line *line);

#endif
