/* Names and types of a function's parameters, from debug information. */
#ifndef WARPLD_TOOL_DEBUG_PARAMETERS_H
#define WARPLD_TOOL_DEBUG_PARAMETERS_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/decode/subject.h"

struct debug_parameter {
    const char *name; /* or NULL */
    const char *type;
};

/* The parameters, in order, of the function with this name (as in the file); NULL if the file has
 * no debug information about it (only -g and -G write it). */
struct debug_parameter *debug_parameters_read(const struct subject *subject, const char *function,
                                              uint32_t *count, struct arena *arena);

#endif
