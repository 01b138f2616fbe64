/* Reads the types of a function's parameters from its mangled name. */
#ifndef WARPLD_TOOL_EXPLAIN_SIGNATURE_H
#define WARPLD_TOOL_EXPLAIN_SIGNATURE_H

#include <stdint.h>

#include "base/arena.h"
#include "tool/decode/subject.h"

/* Returns `count` types. Returns NULL if the name encodes another number of types. The name of an
 * extern "C" function encodes no types. */
const char **signature_types(const struct subject *subject, uint32_t symbol, uint32_t count,
                             struct arena *arena);

#endif
