/* The options that describe a link, such as --map, --report, --stats and --limit, for each target
 * of a device link. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGET_INSPECTION_H
#define WARPLD_CLI_DEVICE_LINK_TARGET_INSPECTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/device_link/target_link.h"
#include "cli/device_link/target_messages.h"
#include "cli/options/options.h"
#include "readable_name/readable_name.h"
#include "report/limits.h"

/* Returns an error message if there are several targets and the file name of a map or report has no
 * '%a', which stands for the target. Else returns NULL. */
const char *target_inspection_problem(const struct command_line *line, size_t targets_count);

/* Replaces '%a' in the file names of the target's command line by the name of the target. */
void target_inspection_name_files(struct target_link *target);

/* Reports kernels that exceed a limit. Returns whether all limits hold. */
bool target_limits_hold(struct target_link *target, struct limits *limits,
                        struct readable_names *names, const struct message_printer *printer);

/* Writes the statistics, maps and reports that the options request. On standard output and standard
 * error, a line with the name of the target precedes them. Returns the path of a file that cannot
 * be written, or NULL. */
const char *target_describe(struct target_link *target, struct readable_names *names);

#endif
