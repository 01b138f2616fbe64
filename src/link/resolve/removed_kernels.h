/* Reports kernels that are removed because nothing names them. */
#ifndef WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H
#define WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H

#include "link/model/link_context.h"

/* Warns about names in kernels_used and variables_used that match nothing, and about a link all of
 * whose kernels are removed. `by_host` is true if the references of host code decide which kernels
 * are kept; if they remove only some kernels, a note names the first of these. Reports nothing if
 * the link runs as nvlink or is relocatable. Requires: the functions that are kept. */
void removed_kernels_report(link_context *link, bool by_host);

#endif
