/* Prototypes of functions, as .nv.prototype has them, in words. */
#ifndef WARPLD_FORMAT_PROTOTYPE_H
#define WARPLD_FORMAT_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "int (float, 16-byte struct)" for "#ifb16". Returns false if the text has an unknown
 * letter or does not fit: then the caller shows the code. */
bool prototype_describe(const char *code, char *text, size_t capacity);

#endif
