/* Computes inherited values that can depend on the order of the records in the inputs. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_VALUES_H
#define WARPLD_LINK_RESOURCES_INHERITED_VALUES_H

#include "link/model/link_context.h"

/* Returns an array by function index: for each kernel, the sum of the barriers in memory
 * (NUM_MBARRIERS) of all functions that it reaches. `single` must be set if the link has one
 * kernel; its sum then includes all kept functions. */
uint32_t *inherited_mbarriers(link_context *link, bool single);

/* Returns an array by function index: for each kernel, the value of its REG_RECONFIG record.
 * Returns NULL if all values in the inputs are 0, the only value that compilers write. `single`
 * must be set if the link has one kernel. The result is then NULL, because this kernel keeps its
 * own value. */
uint32_t *inherited_reconfigurations(link_context *link, bool single);

#endif
