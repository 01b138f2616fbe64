/* Text from files on its way to a terminal. A name can hold anything, escape sequences and line
 * breaks too, and must not be able to paint, or to look like a line of its own; JSON has escapes of
 * its own for them. warpld has a '?' for each (base/diagnostic.h); here names are what one looks
 * for, and stay different. */
#ifndef WARPLD_TOOL_DECODE_SHOWN_H
#define WARPLD_TOOL_DECODE_SHOWN_H

#include "base/arena.h"

/* The text with "\x1b" for each control character; itself when it has none. */
const char *shown_text(struct arena *arena, const char *text);

/* Writes the line "cubintool: ...", which is shown so, to stderr by one call. */
__attribute__((format(printf, 1, 2))) void tool_complain(const char *format, ...);

#endif
