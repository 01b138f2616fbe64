/* Texts of messages, of the library and of compilers, as the command shows them. */
#ifndef WARPLD_CLI_SHOWN_TEXT_H
#define WARPLD_CLI_SHOWN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

struct arena;
struct readable_names;

enum name_form {
    NAMES_AS_NVLINK,
    NAMES_READABLE,
    NAMES_MANGLED, /* also in notes, which the library writes with readable names */
};

/* The text of a message with its names in this form. Unless the form is nvlink's, the section is
 * left out of a note about a reference from code, since its name only repeats that of the function.
 * The result is in the arena of `names`, or is the message's own text. */
const char *shown_text(struct readable_names *names, enum name_form form,
                       const struct warpld_diagnostic *diagnostic);

/* A copy of what a compiler has printed, or of a message about it, with '?' in place of bytes that
 * must not reach a terminal. With `has_lines`, newlines and tabs are kept. */
const char *shown_program_text(struct arena *arena, const char *text, size_t size, bool has_lines);

#endif
