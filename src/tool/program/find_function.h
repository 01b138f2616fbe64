/* Finds functions by the names that people write. */
#ifndef WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H
#define WARPLD_TOOL_PROGRAM_FIND_FUNCTION_H

#include "base/arena.h"
#include "tool/program/program.h"

/* Returns the function that `wanted` fits best. From best to worst, these names fit:
 * - the mangled name, the readable name, or the label of the function,
 * - the readable name without parameters or outer scopes,
 * - a part of the readable name.
 * If a kernel and another function fit equally well, the kernel is better. If no function fits, or
 * if several fit best, reports it to stderr and returns NULL. */
const struct program_function *program_find_function(const struct program *program,
                                                     const char *wanted, struct arena *arena);

#endif
