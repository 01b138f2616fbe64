/* Finds functions by the names that people write. */
#ifndef WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H
#define WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H

#include "base/arena.h"
#include "tool/program/program.h"

/* The one function that fits the name best. It fits its name as in the file and its readable name
 * best, then the readable name without parameters or outer scopes, then a part of the readable
 * name. Kernels are preferred to other functions. NULL after a message to stderr if there is none,
 * or several. */
const struct program_function *program_find_function(const struct program *program,
                                                     const char *wanted, struct arena *arena);

#endif
