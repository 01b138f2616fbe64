/* Notes about undefined names that belong to a known library. A note names the library and the
 * remedy. */
#ifndef WARPLD_LINK_NOTES_HINTS_H
#define WARPLD_LINK_NOTES_HINTS_H

#include <stdbool.h>

#include "base/arena.h"

struct symbol;
struct warpld_link;

/* The notes of one link: one for each row of hints.def to which an undefined name belongs. */
struct hints {
    GROWING_ARRAY(struct hint_use, uses);
};

/* Records the row of hints.def that an undefined symbol belongs to. Returns false if it belongs to
 * none. */
bool hints_add(struct warpld_link *link, struct hints *hints, const struct symbol *symbol);

/* Reports one note for each row, in the order of the rows' first symbols. */
void hints_report(struct warpld_link *link, const struct hints *hints);

#endif
