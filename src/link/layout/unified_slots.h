/* Writes the slots of the unified function table if the output has both native and Mercury code. */
#ifndef WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H
#define WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H

#include "link/model/link_context.h"
#include "link/model/unified.h"

/* Writes the slots. All entries must have offsets. Returns false after reporting an error. */
bool unified_write_slots(struct warpld_link *link, struct unified_table *table);

#endif
