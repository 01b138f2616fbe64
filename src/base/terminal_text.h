/* Which characters of a text may reach a terminal, and escapes for the others.
 *
 * Names, paths, options and the messages of other programs can contain anything. Control characters
 * could change colours or fake a line of output. Format characters, such as U+202E, could make a
 * terminal show the text in another order, or hide a part of it. Each byte of such a character
 * becomes an escape such as "\x1b", so that names that differ in them look different. A backslash
 * remains as it is, so a name that contains the text of an escape looks like one with the byte.
 * JSON has its own escapes (base/json_escape.h). */
#ifndef WARPLD_BASE_TERMINAL_TEXT_H
#define WARPLD_BASE_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* The size of an escape, and the most bytes that are shown for a character. */
enum {
    TERMINAL_ESCAPE_SIZE = sizeof "\\x1b" - 1,
    TERMINAL_LONGEST_SHOWN = 4 * TERMINAL_ESCAPE_SIZE
};

/* Reads the first character of a text that is not empty, and returns its size in bytes. A byte that
 * is not part of well-formed UTF-8 counts as a character. `*is_safe` becomes false if the character
 * can control a terminal or the order of text. These are the characters whose general category in
 * Unicode is Cc, Cf, Zl or Zp, and the bytes from 0x80 to 0x9f outside UTF-8, which are C1 controls
 * in 8-bit encodings. */
size_t terminal_text_read(const char *text, bool *is_safe);

/* Writes what is shown for the first character of a text that is not empty: the character, or an
 * escape for each of its bytes. Returns the number of bytes written, and sets `*size` to the size
 * of the character. */
size_t terminal_text_show_character(char shown[TERMINAL_LONGEST_SHOWN], const char *text,
                                    size_t *size);

/* Writes the text with escapes, and a NUL. Returns the position of the NUL. `out` must have
 * TERMINAL_ESCAPE_SIZE bytes for each byte of the text, and one more. Can be called in a signal
 * handler. */
char *terminal_text_escape(char *out, const char *text);

/* Returns the text with escapes: `text` itself if all its characters are safe, else a copy in the
 * arena. */
const char *terminal_text_show(struct arena *arena, const char *text);

/* Like terminal_text_show, for a text of `size` bytes that a program has printed. Each NUL in it
 * becomes an escape, too. With `has_lines`, newlines and tabs remain. Another NUL must follow the
 * text. */
const char *terminal_text_show_printed(struct arena *arena, const char *text, size_t size,
                                       bool has_lines);

/* Like terminal_text_show, for callers without an arena. A copy is from malloc, and `*copy` points
 * to it; otherwise `*copy` becomes NULL. If memory runs out, the text is cut off before its first
 * character that is not safe. */
const char *terminal_text_make_safe(char *text, char **copy);

#endif
