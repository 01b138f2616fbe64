/* Escapes text from files for a terminal. A name can contain escape sequences and line breaks,
 * which must not change colours or look like a separate line. For each unsafe byte, warpld prints
 * '?' (base/terminal_text.h). cubintool prints an escape instead, because its users search for
 * names, so different names must look different. JSON has its own escapes. */
#ifndef WARPLD_TOOL_DECODE_SHOWN_H
#define WARPLD_TOOL_DECODE_SHOWN_H

#include "base/arena.h"

/* Escapes characters that must not reach a terminal: each byte of such a character becomes an
 * escape such as "\x1b". Returns `text` itself if it has no such character. */
const char *shown_text(struct arena *arena, const char *text);

/* Writes the line "cubintool: MESSAGE" to stderr in one call. The message is escaped. */
__attribute__((format(printf, 1, 2))) void tool_error(const char *format, ...);

#endif
