/* Which characters of a text may reach a terminal.
 *
 * Names, paths, options and the messages of other programs can contain anything. Control characters
 * could change colours or fake a line of output. Format characters, such as U+202E, could make a
 * terminal show the text in another order, or hide a part of it. */
#ifndef WARPLD_BASE_TERMINAL_TEXT_H
#define WARPLD_BASE_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the first character of a text that is not empty, and returns its size in bytes. A byte that
 * is not part of well-formed UTF-8 counts as a character. `*is_safe` becomes false if the character
 * can control a terminal or the order of text. These are the characters whose general category in
 * Unicode is Cc, Cf, Zl or Zp, and the bytes from 0x80 to 0x9f outside UTF-8, which are C1 controls
 * in 8-bit encodings. */
size_t terminal_text_read(const char *text, bool *is_safe);

/* Replaces each byte of each character that is not safe with '?'. */
void terminal_text_hide_controls(char *text);

/* Like terminal_text_hide_controls, for a text of several lines: keeps newlines and tabs. */
void terminal_text_hide_controls_in_lines(char *text);

#endif
