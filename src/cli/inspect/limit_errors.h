/* --limit: reports an error for each kernel that needs more than a limit allows. */
#ifndef WARPLD_CLI_INSPECT_LIMIT_ERRORS_H
#define WARPLD_CLI_INSPECT_LIMIT_ERRORS_H

#include <stdbool.h>

#include "cli/options/options.h"
#include "report/limits.h"
#include "report/report.h"
#include "warpld.h"

/* Reads the limits of all --limit options and of the files that they name. Returns NULL, or a
 * problem. */
const char *limits_of_line(struct limits *limits, const struct command_line *line);

/* Reports an error for each kernel that exceeds a limit, with notes about the calls or variables
 * that cause the excess. Reports a warning for each pattern that matches no kernel. Returns true if
 * no kernel exceeds its limits. */
bool limits_hold(const struct report *report, struct limits *limits,
                 warpld_diagnostic_callback *take, void *context);

#endif
