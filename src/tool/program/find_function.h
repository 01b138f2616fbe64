/* Finds functions by the names that people write. */
#ifndef WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H
#define WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H

#include "base/arena.h"
#include "tool/program/program.h"

/* The one function that the wanted name fits best. The best fit is the function's name in the file
 * or its readable name. Next is the readable name without parameters or outer scopes, and last a
 * part of the readable name. A kernel is preferred to another function that fits equally well. If
 * there is no such function, or several, returns NULL after a message to stderr. */
const struct program_function *program_find_function(const struct program *program,
                                                     const char *wanted, struct arena *arena);

#endif
