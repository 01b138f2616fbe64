/* Assigns addresses in global memory. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_GLOBAL_H
#define WARPLD_LINK_LAYOUT_LAYOUT_GLOBAL_H

#include "link/model/link_context.h"

/* Assigns addresses to common symbols. With -r, assigns them only to common symbols that an input
 * also defines, as a variable of zeros. */
void layout_commons(link_context *link);

#endif
