/* Demangling of C++ names with the C++ ABI library. */
#ifndef WARPLD_BASE_DEMANGLE_H
#define WARPLD_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Writes the readable form of a mangled name. Returns false if the name is not mangled, has more
 * than 1,024 characters, or may be one on which GCC's demangler does not end, or ends only after
 * hours. Also returns false if the capacity does not suffice for the readable form and its NUL. A
 * short name, too, can have a readable form of any length. */
bool demangle_into(const char *mangled, char *readable, size_t capacity);

/* Like demangle_into, but also accepts the names that demangle_name describes. */
bool demangle_part_into(const char *name, char *readable, size_t capacity);

/* Returns the readable form of a symbol's name, or of a section's name that ends in a symbol's name
 * (".text._Z1fv" becomes ".text.f()"). Any other name is returned unchanged. */
const char *demangle_name(struct arena *arena, const char *name);

#endif
