/* Sums over all functions that a kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_REACH_SUMS_H
#define WARPLD_LINK_RESOURCES_REACH_SUMS_H

#include "link/model/link_context.h"

/* weights: by function index. Returns, by component of the call graph, the total weight of the
 * functions that the component reaches, itself included and each counted once. Valid for components
 * of kernels only. */
uint64_t *reach_sums(link_context *link, const uint64_t *weights);

#endif
