/* Assigns addresses in global memory. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_GLOBAL_H
#define WARPLD_LINK_LAYOUT_LAYOUT_GLOBAL_H

#include "link/model/link_context.h"

/* Assigns addresses to common symbols; in a relocatable output only to those for which a definition
 * of zeros was read. */
void layout_commons(link_context *link);

#endif
