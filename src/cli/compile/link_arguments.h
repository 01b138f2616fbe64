/* Translates options of the command line into arguments of ptxas. */
#ifndef WARPLD_CLI_COMPILE_LINK_ARGUMENTS_H
#define WARPLD_CLI_COMPILE_LINK_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/options/options.h"

/* Returns the arguments of ptxas for the options of the command line. They include no number of
 * threads if the inputs record one. */
const char *const *link_arguments_for_ptxas(struct arena *arena, const struct command_line *line,
                                            bool inputs_have_threads, size_t *count);

/* The time limit, in seconds, of a compiler that runs as a process; 0: none. */
unsigned compiler_seconds(const struct command_line *line);

/* A problem of the options that are passed to ptxas, in nvlink's words, or NULL. It matters only if
 * PTX is compiled. */
const char *link_arguments_problem(const struct command_line *line);

#endif
