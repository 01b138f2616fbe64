/* Translates the encoded prototypes of functions in .nv.prototype into readable types. */
#ifndef WARPLD_FORMAT_PROTOTYPE_H
#define WARPLD_FORMAT_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Translates the prototype `code` into C++ types. For example, "#ifb16" gives "int or float (float,
 * 16-byte struct)". Returns false if the code has an unknown letter, or if the text does not fit
 * into the capacity. In both cases callers show the code. */
bool prototype_describe(const char *code, char *text, size_t capacity);

#endif
