/* Translates prototypes of functions, as .nv.prototype encodes them, into readable types. */
#ifndef WARPLD_FORMAT_PROTOTYPE_H
#define WARPLD_FORMAT_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "int (float, 16-byte struct)" for "#ifb16". Returns false if the code has an unknown
 * letter or the text does not fit; the caller then shows the code itself. */
bool prototype_describe(const char *code, char *text, size_t capacity);

#endif
