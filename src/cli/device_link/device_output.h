/* The files that a device link writes: a host object, a fat binary, or a cubin for each target. */
#ifndef WARPLD_CLI_DEVICE_LINK_DEVICE_OUTPUT_H
#define WARPLD_CLI_DEVICE_LINK_DEVICE_OUTPUT_H

#include "cli/device_link/device_link.h"
#include "cli/device_link/target_link.h"
#include "cli/options/options.h"

/* Returns a message if the options for the output files are missing, contradictory or not
 * supported; else NULL. */
const char *device_output_problem(const struct command_line *line, size_t targets_count);

/* Writes the output files. All links must have succeeded. Returns the path of a file that cannot be
 * written, or NULL. */
const char *device_output_write(const struct device_link *link, struct target_link *targets,
                                size_t count);

#endif
