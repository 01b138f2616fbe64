/* Computes values that kernels inherit, where the order of the inputs' records can matter. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_VALUES_H
#define WARPLD_LINK_RESOURCES_INHERITED_VALUES_H

#include "link/model/link_context.h"

/* Returns an array by function index: for each kernel, the sum of the barriers in memory
 * (NUM_MBARRIERS) of all functions that it reaches. `single`: the link has one kernel, which is
 * treated as reaching everything. */
uint32_t *inherited_mbarriers(link_context *link, bool single);

/* Returns an array by function index with the values of the kernels' REG_RECONFIG records. Returns
 * NULL if all values are 0, as compilers write them. Also returns NULL if the link has one kernel
 * (`single`), because that kernel keeps its own value. */
uint32_t *inherited_reconfigurations(link_context *link, bool single);

#endif
