/* The slots of the unified function table where code is there in both views. */
#ifndef WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H
#define WARPLD_LINK_LAYOUT_UNIFIED_SLOTS_H

#include "link/model/link_context.h"
#include "link/model/unified.h"

bool unified_write_slots(struct warpld_link *link, struct unified_table *table);

#endif
