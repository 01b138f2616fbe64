/* Places compiler-made constants in the banks of kernels; see layout_constant.c. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_CONSTANT_H
#define WARPLD_LINK_LAYOUT_LAYOUT_CONSTANT_H

#include "link/model/link_context.h"

/* Drops the banks that are empty, and their names. */
void layout_constant_drop_empty(link_context *link);

#endif
