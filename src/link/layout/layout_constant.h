/* Constant banks. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_CONSTANT_H
#define WARPLD_LINK_LAYOUT_LAYOUT_CONSTANT_H

#include "link/model/link_context.h"

/* Drops the banks that are empty, and their names. */
void layout_constant_drop_empty(link_context *link);

#endif
