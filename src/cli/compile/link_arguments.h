/* Translates options of the command line into arguments of ptxas. */
#ifndef WARPLD_CLI_COMPILE_LINK_ARGUMENTS_H
#define WARPLD_CLI_COMPILE_LINK_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cli/options/options.h"

/* Returns the arguments of ptxas that correspond to options of the command line. If the LTO-IR
 * inputs record a number of threads (`inputs_have_threads`), -split-compile is not among them. */
const char *const *link_arguments_for_ptxas(struct arena *arena, const struct command_line *line,
                                            bool inputs_have_threads, size_t *count);

/* The time limit, in seconds, of a compiler that runs as a process; 0: none. */
unsigned compiler_seconds(const struct command_line *line);

/* Returns a message, in nvlink's wording, about an option whose value cannot be passed to ptxas.
 * Returns NULL if there is no such problem. Links without PTX ignore the problem. */
const char *link_arguments_problem(const struct command_line *line);

#endif
