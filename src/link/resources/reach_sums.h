/* Sums over all functions that a kernel reaches. */
#ifndef WARPLD_LINK_RESOURCES_REACH_SUMS_H
#define WARPLD_LINK_RESOURCES_REACH_SUMS_H

#include "link/model/link_context.h"

/* `weights` is by function index. Returns an array by component of the call graph. Its element is
 * the total weight of all functions that the component reaches, including its own; each function is
 * counted once. Only the elements of components with a kernel are valid. */
uint64_t *reach_sums(link_context *link, const uint64_t *weights);

#endif
