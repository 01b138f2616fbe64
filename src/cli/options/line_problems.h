/* What is wrong with a command line whose words are all known: before any work, in nvlink's words
 * and order. */
#ifndef WARPLD_CLI_OPTIONS_LINE_PROBLEMS_H
#define WARPLD_CLI_OPTIONS_LINE_PROBLEMS_H

#include <stdbool.h>

#include "cli/options/options.h"

/* NULL when nothing is. Texts live as long as the line's arena. */
const char *line_problem(const struct command_line *line);

/* The same for what nvlink looks at later: options of link-time optimisation, the version. */
const char *line_problem_of_optimisation(const struct command_line *line);

/* The driver makes the code of "compute_90": there is nothing to write. For a line with a target.
 */
bool line_has_virtual_target(const struct command_line *line);

#endif
