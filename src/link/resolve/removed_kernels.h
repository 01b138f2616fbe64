/* Reports kernels that are removed because neither an option nor host code names them. */
#ifndef WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H
#define WARPLD_LINK_RESOLVE_REMOVED_KERNELS_H

#include "link/model/link_context.h"

/* Warns about names in the options kernels_used and variables_used that match nothing, and about a
 * link in which all kernels are removed. `by_host` is true if the references of host code decide
 * which kernels are kept. If `by_host` is true and only some kernels are removed, a note names the
 * first of these. Reports nothing if the link runs as nvlink or is relocatable. Requires: it is
 * decided which functions are kept. */
void removed_kernels_report(link_context *link, bool by_host);

#endif
