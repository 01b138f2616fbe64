/* Undefined names that belong to a known library: notes that say which, and the remedy. */
#ifndef WARPLD_LINK_NOTES_HINTS_H
#define WARPLD_LINK_NOTES_HINTS_H

#include <stdbool.h>

#include "base/arena.h"

struct symbol;
struct warpld_link;

/* The hints of one link: one for each row of hints.def with an undefined name. */
struct hints {
    GROWING_ARRAY(struct hint_use, uses);
};

/* Records the row of hints.def that an undefined symbol belongs to. Returns false if there is none.
 */
bool hints_add(struct warpld_link *link, struct hints *hints, const struct symbol *symbol);

/* Reports one note for each row, in the order of their first symbols. */
void hints_report(struct warpld_link *link, const struct hints *hints);

#endif
