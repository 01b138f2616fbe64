/* Demangling of C++ names with the C++ ABI library. */
#ifndef WARPLD_BASE_DEMANGLE_H
#define WARPLD_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Writes the readable form of a mangled name. Returns false if the name is not mangled, has more
 * than 1,024 characters, or may be one on which GCC's demangler does not end. Also returns false if
 * the readable form does not fit into the capacity with its NUL: even that of a short name can have
 * any length. */
bool demangle_into(const char *mangled, char *readable, size_t capacity);

/* The readable form of a symbol's name, or of a section's name that ends in one (".text._Z1fv"
 * becomes ".text.f()"). Any other name is returned unchanged. */
const char *demangle_name(struct arena *arena, const char *name);

#endif
