/* Escapes in JSON strings, so that the JSON can be embedded in an HTML page and shown on a
 * terminal. */
#ifndef WARPLD_BASE_JSON_ESCAPE_H
#define WARPLD_BASE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the first byte of the text is an ASCII character that is written unchanged. "<"
 * is escaped where it could begin a tag or a comment in an HTML page that contains the JSON. */
bool json_is_plain(const char *text);

enum { JSON_LONGEST_ESCAPE = sizeof "\\ud800\\udc00" };

/* Reads the first character of well-formed UTF-8, and returns its size. Writes its escape sequence
 * to `escape`, or an empty text if the character is written unchanged. */
size_t json_escape(char escape[JSON_LONGEST_ESCAPE], const char *text);

/* Escapes each character DEL of a JSON document, because JSON libraries do not escape it. DEL can
 * only be in strings, where an escape is valid. Takes and returns memory from malloc; returns NULL
 * if `document` is NULL or memory has run out. */
char *json_escape_del(char *document);

#endif
