/* Reports kernels that are removed because nothing names them. */
#ifndef WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H
#define WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H

#include "link/model/link_context.h"

/* Warns of names in kernels_used and variables_used that match nothing, and of a link in which no
 * kernel is left. by_host: the references of host code decide which kernels are kept, which a note
 * explains. Reports nothing if the link runs as nvlink. Requires: which functions are kept. */
void removed_kernels_report(link_context *link, bool by_host);

#endif
