/* The values of REG_RECONFIG records that kernels inherit. */
#ifndef WARPLD_LINK_RESOURCES_RECONFIGURATIONS_H
#define WARPLD_LINK_RESOURCES_RECONFIGURATIONS_H

#include "link/model/link_context.h"

/* Returns an array by function index with the values of kernels; NULL if all values are 0, as
 * compilers write them, or if the link has one kernel (`single`), which keeps its own value. */
uint32_t *reconfigurations_find(link_context *link, bool single);

#endif
