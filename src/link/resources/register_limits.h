/* Kernels that are limited to fewer registers than they need. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H
#define WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H

#include "link/model/link_context.h"

/* Reports the functions that raise kernels above their limits. Passes each raise, also below the
 * limits, to the caller's raised_registers and to the trace. Requires needed_registers of all
 * kernels. */
void register_limits(link_context *link);

#endif
