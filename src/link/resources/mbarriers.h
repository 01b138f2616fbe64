/* Barriers in memory (NUM_MBARRIERS) that kernels need. */
#ifndef WARPLD_LINK_RESOURCES_MBARRIERS_H
#define WARPLD_LINK_RESOURCES_MBARRIERS_H

#include "link/model/link_context.h"

/* Returns, by function index of kernels, the sum over the functions that each reaches; single: the
 * link has one kernel, which is taken to reach everything. */
uint32_t *mbarriers_sum(link_context *link, bool single);

#endif
