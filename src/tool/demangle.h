/* Demangling of C++ names, by libstdc++. */
#ifndef WARPLD_TOOL_DEMANGLE_H
#define WARPLD_TOOL_DEMANGLE_H

#include "base/arena.h"

/* The readable form of a symbol's name, or of a section's name that ends in one (".text._Z1fv"
 * becomes ".text.f()"). Anything else is returned as it is. */
const char *demangle_name(struct arena *arena, const char *name);

#endif
