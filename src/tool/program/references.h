/* Finds, for each symbol, a function whose code refers to it. */
#ifndef WARPLD_TOOL_PROGRAM_REFERENCES_H
#define WARPLD_TOOL_PROGRAM_REFERENCES_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"

/* Returns an array with an element for each native symbol. The element is the index of the
 * first function in the file that is reached and refers to the symbol, or NO_FUNCTION. A linked
 * file has relocations for some memory spaces only, so references to other spaces are not found. */
uint32_t *references_read(const struct program *program, const struct reach *reach,
                          struct arena *arena);

#endif
