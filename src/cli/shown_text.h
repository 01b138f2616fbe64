/* The texts of the library's messages as the command shows them. */
#ifndef WARPLD_CLI_SHOWN_TEXT_H
#define WARPLD_CLI_SHOWN_TEXT_H

#include "warpld.h"

struct readable_names;

enum name_form {
    NAMES_AS_NVLINK,
    NAMES_READABLE,
    NAMES_MANGLED, /* also in notes, where the library's are readable */
};

/* Unless names are as nvlink's, a note about a reference from code does not name the section, which
 * has the name of the function. The result is in the arena of the names, or the message's text. */
const char *shown_text(struct readable_names *names, enum name_form form,
                       const struct warpld_diagnostic *diagnostic);

#endif
