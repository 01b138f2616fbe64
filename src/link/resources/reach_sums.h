/* Sums over all functions that a kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_REACH_SUMS_H
#define WARPLD_LINK_RESOURCES_REACH_SUMS_H

#include "link/model/link_context.h"

/* weights: by function index. Makes what the functions that each kernel reaches weigh together,
 * each counted once and with its own weight: by component of the call graph, and right for those of
 * kernels. */
uint64_t *reach_sums(link_context *link, const uint64_t *weights);

#endif
