/* C++ names as nvlink shows them. */
#ifndef WARPLD_CLI_READABLE_NAME_H
#define WARPLD_CLI_READABLE_NAME_H

#include <stdbool.h>

#include "base/arena.h"

/* The readable form of a mangled name; any other is returned as it is, and as nvlink so are those
 * that nvlink cannot read (others are shown as libsupc++ does). */
const char *readable_name(struct arena *arena, const char *name, bool as_nvlink);

#endif
