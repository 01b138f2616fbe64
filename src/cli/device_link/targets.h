/* The targets of a device link. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGETS_H
#define WARPLD_CLI_DEVICE_LINK_TARGETS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

struct targets {
    GROWING_ARRAY(const char *, names); /* "sm_90a", each once, in the order of the command line */
};

/* Reads the targets of --gencode and of --code, or of --arch if --code is not given, as `nvcc
 * -dlink` does (observed with nvcc 13.0.88). Virtual targets are left out, because they stand for
 * PTX, which cannot be linked; nvcc leaves them out, too. Returns a problem, or NULL. */
const char *targets_read(struct targets *targets, const struct command_line *line);

/* Whether the name of a file has "%a" in place of the target, so that each target has a separate
 * file. */
bool targets_are_in_name(const char *pattern);

/* The name of the file for a target; the pattern itself if it has no "%a". */
const char *target_file_name(struct arena *arena, const char *pattern, const char *target);

#endif
