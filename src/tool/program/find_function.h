/* Finds functions by the names that people write. */
#ifndef WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H
#define WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H

#include "base/arena.h"
#include "tool/program/program.h"

/* The one function that fits the name best: by its name as in the file, its readable name, that
 * without parameters or scopes, or a part of that. Kernels are preferred to other functions. NULL
 * after a message to stderr if there is none, or several. */
const struct program_function *program_find_function(const struct program *program,
                                                     const char *wanted, struct arena *arena);

#endif
