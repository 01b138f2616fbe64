/* The slots of the unified function table where code is there in both views. */
#ifndef WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H
#define WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H

#include "link/model/link_context.h"
#include "link/model/unified.h"

/* Generates the slots: with Mercury code they differ from those in the inputs, in both views.
 * Returns false, with a message, if an input has a slot that no compiler writes. */
bool unified_write_slots(struct warpld_link *link, struct unified_table *table);

#endif
