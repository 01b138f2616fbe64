/* Reading and checking UTF-8. */
#ifndef WARPLD_BASE_UTF8_H
#define WARPLD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the first character of a text that is not empty, and sets `*code` to its code point.
 * Returns its size in bytes, or 0 if it is not well-formed. */
size_t utf8_read(const char *text, uint32_t *code);

/* Whether the text is well-formed UTF-8, as RFC 3629 defines it. */
bool utf8_is_valid(const char *text);

#endif
