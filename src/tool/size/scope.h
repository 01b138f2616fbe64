/* Parts of readable names of C++. */
#ifndef WARPLD_TOOL_SIZE_SCOPE_H
#define WARPLD_TOOL_SIZE_SCOPE_H

#include "base/arena.h"

/* "a::B" of "int a::B::f<int>(x::y)": the namespaces and classes around a name, with template
 * arguments left out. NULL if there are none. */
const char *scope_of(const char *readable, struct arena *arena);

/* "a::B<>::f<>" of "int a::B<int>::f<int>(x::y)": the template that it is an instance of. NULL if
 * it is not an instance. */
const char *template_of(const char *readable, struct arena *arena);

#endif
