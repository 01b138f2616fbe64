/* Escapes in JSON strings, so that the JSON can be embedded in an HTML page. */
#ifndef WARPLD_BASE_JSON_ESCAPE_H
#define WARPLD_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the first byte of the text is written unchanged. "<" is escaped where it could
 * begin a tag or a comment of the page around it. */
bool json_is_plain(const char *text);

enum { JSON_LONGEST_ESCAPE = 8 }; /* with a NUL */

/* Writes the escape of a byte that is not plain. Returns its size. */
size_t json_escape(char *escape, char byte);

#endif
