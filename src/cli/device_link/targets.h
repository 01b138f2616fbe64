/* The targets of a device link. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGETS_H
#define WARPLD_CLI_DEVICE_LINK_TARGETS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

struct targets {
    /* target names such as "sm_90a", without duplicates, in the order of the options */
    GROWING_ARRAY(const char *, names);
};

/* Reads the targets of --gencode and --code. Reads those of --arch only if --code is not given.
 * nvcc -dlink chooses the same targets (observed with nvcc 13.0.88). Like nvcc, ignores virtual
 * targets, because they stand for PTX, which cannot be linked. Returns an error message, or
 * NULL. */
const char *targets_read(struct targets *targets, const struct command_line *line);

/* Returns whether the file name `pattern` contains "%a", which stands for the target, so that each
 * target has a separate file. */
bool targets_are_in_name(const char *pattern);

/* Returns the pattern with the target instead of "%a". If the pattern has no "%a", returns it
 * unchanged. */
const char *target_file_name(struct arena *arena, const char *pattern, const char *target);

#endif
