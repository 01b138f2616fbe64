/* Demangling of C++ names, by the C++ ABI library. */
#ifndef WARPLD_BASE_DEMANGLE_H
#define WARPLD_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Writes the readable form of a mangled name. False when the name is not mangled or has more than
 * 1,024 characters, or when its readable form, with a NUL, does not fit the capacity: a short name
 * can stand for one of any size. */
bool demangle_into(const char *mangled, char *readable, size_t capacity);

/* The readable form of a symbol's name, or of a section's name that ends in one (".text._Z1fv"
 * becomes ".text.f()"). Anything else is returned as it is. */
const char *demangle_name(struct arena *arena, const char *name);

#endif
