/* Finds parts of readable C++ names. */
#ifndef WARPLD_TOOL_SIZE_SCOPE_H
#define WARPLD_TOOL_SIZE_SCOPE_H

#include "base/arena.h"

/* Returns the namespaces and classes that contain a function or variable, without template
 * arguments: "a::B" for "int a::B::f<int>(x::y)". Returns NULL if there are none. */
const char *scope_of(const char *readable, struct arena *arena);

/* Returns the name of the template of an instance, without the arguments in the angle brackets:
 * "a::B<>::f<>" for "int a::B<int>::f<int>(x::y)". Returns NULL if the name has no angle brackets:
 * then it is not an instance. */
const char *template_of(const char *readable, struct arena *arena);

#endif
