/* The targets of a device link. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGETS_H
#define WARPLD_CLI_DEVICE_LINK_TARGETS_H

#include "base/arena.h"
#include "cli/options/options.h"

struct targets {
    GROWING_ARRAY(const char *, names); /* "sm_90a", each once, in the order of the command line */
};

/* Reads them from --gencode, else from --code, else from --arch, as nvcc does. Virtual targets are
 * left out: PTX cannot be linked, and nvcc leaves it out, too. Returns a problem, or NULL. */
const char *targets_read(struct targets *targets, const struct command_line *line);

#endif
