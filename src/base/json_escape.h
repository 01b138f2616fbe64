/* Escapes in strings of JSON, which may also stand in a page. */
#ifndef WARPLD_BASE_JSON_ESCAPE_H
#define WARPLD_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the first byte of the text stands in a string of JSON as it is. '<' does not where it
 * could end or begin an element of the page around it. */
bool json_is_plain(const char *text);

enum { JSON_LONGEST_ESCAPE = 8 }; /* with a NUL */

/* Writes the escape of a byte that is not plain. Returns its size. */
size_t json_escape(char *escape, char byte);

#endif
