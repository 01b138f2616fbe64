/* Checks the options of a command line, after it was parsed and before any other work. The messages
 * and their order are nvlink's. */
#ifndef WARPLD_CLI_OPTIONS_LINE_PROBLEMS_H
#define WARPLD_CLI_OPTIONS_LINE_PROBLEMS_H

#include <stdbool.h>

#include "cli/options/options.h"

/* Returns an error message about the first problem of the line, or NULL. The message is valid as
 * long as the line's arena. */
const char *line_problem(const struct command_line *line);

/* Returns an error message if the line has an option that needs --device-link, else NULL. The line
 * must not have --device-link. */
const char *line_problem_of_device_link(const struct command_line *line);

/* Returns an error message about options of link-time optimisation that cannot be combined, or
 * NULL. With is_nvlink, -nvvmpath is also required if the link optimises LTO-IR. Call this function
 * after line_problem, because nvlink checks in this order. */
const char *line_problem_of_optimisation(const struct command_line *line, bool is_nvlink);

/* Returns an error message about the values that nvlink checks last, or NULL: the level of
 * -Ofast-compile, and the version of -cuda-api-version. */
const char *line_problem_of_values(const struct command_line *line);

/* Whether the link optimises LTO-IR. */
bool line_wants_lto(const struct command_line *line);

/* Returns the number of threads that -split-compile-extended gives. The default is 1. With
 * --emit-ptx, the number is also 1, as in nvlink. */
long line_extended_threads(const struct command_line *line);

/* Whether the target is virtual, such as "compute_90". The driver generates the code for such a
 * target, so the link has nothing to write. Requires a line with a target. */
bool line_has_virtual_target(const struct command_line *line);

#endif
