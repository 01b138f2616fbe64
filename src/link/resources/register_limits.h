/* Reports kernels that are limited to fewer registers than they need. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H
#define WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H

#include "link/model/link_context.h"

/* A function raises the register count of a kernel that reaches it if the function needs more
 * registers. Reports each function that raises a kernel's count above the kernel's limit. Passes
 * every raise to the trace and to the caller's callback raised_registers. Requires needed_registers
 * of all kernels. */
void register_limits(link_context *link);

#endif
