/* Reads the names and types of a function's parameters from debug information. */
#ifndef WARPLD_TOOL_DEBUG_PARAMETERS_H
#define WARPLD_TOOL_DEBUG_PARAMETERS_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/decode/subject.h"

struct debug_parameter {
    const char *name; /* or NULL */
    const char *type;
};

/* Returns the parameters of a function in order. `function` is its mangled name. Returns NULL if
 * the file has no debug information about the function; compilers write it only with -g or -G. */
struct debug_parameter *debug_parameters_read(const struct subject *subject, const char *function,
                                              uint32_t *count, struct arena *arena);

#endif
