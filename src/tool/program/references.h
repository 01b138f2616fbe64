/* Which function refers to which symbol, by the relocations of its code. */
#ifndef WARPLD_TOOL_PROGRAM_REFERENCES_H
#define WARPLD_TOOL_PROGRAM_REFERENCES_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"

/* Returns an array with an element for each native symbol: the first function in the file that is
 * reached and whose code refers to the symbol. The element is NO_FUNCTION if there is none. A
 * linked file has relocations for some memory spaces only; references to others are not found. */
uint32_t *references_read(const struct program *program, const struct reach *reach,
                          struct arena *arena);

#endif
