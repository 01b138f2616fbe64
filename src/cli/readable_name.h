/* C++ names as nvlink shows them. */
#ifndef WARPLD_CLI_READABLE_NAME_H
#define WARPLD_CLI_READABLE_NAME_H

#include "base/arena.h"

/* The readable form of a mangled name; any other is returned as it is. */
const char *readable_name(struct arena *arena, const char *name);

#endif
