/* The barriers in memory (NUM_MBARRIERS) that kernels need. */
#ifndef WARPLD_LINK_RESOURCES_MBARRIERS_H
#define WARPLD_LINK_RESOURCES_MBARRIERS_H

#include "link/model/link_context.h"

/* Returns an array by function index. The element of a kernel is the sum over all functions that it
 * reaches. `single`: the link has one kernel, which is treated as reaching everything. */
uint32_t *mbarriers_sum(link_context *link, bool single);

#endif
