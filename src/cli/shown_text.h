/* Prepares the texts of messages from the library and from compilers for printing. */
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
    NAMES_MANGLED, /* in notes, too, although the library writes them with readable names */
};

/* Returns the text of a message with names in this form. Unless the form is NAMES_AS_NVLINK, a note
 * about a reference from a function does not name the section of the function, because the
 * section's name only repeats that of the function. The result is in the arena of `names`, or is
 * the message's own text. */
const char *shown_text(struct readable_names *names, enum name_form form,
                       const struct warpld_diagnostic *diagnostic);

#endif
