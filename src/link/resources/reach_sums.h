/* Sums over all functions that a kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_REACH_SUMS_H
#define WARPLD_LINK_RESOURCES_REACH_SUMS_H

#include "link/model/link_context.h"

/* Returns an array by component of the call graph: the total weight of the component's functions
 * and of all functions that they reach. Each function is counted once. Only the elements of
 * components with a kernel are valid. `weights` is an array by function index. */
uint64_t *reach_sums(link_context *link, const uint64_t *weights);

#endif
