/* Reports kernels that are limited to fewer registers than they need. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H
#define WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H

#include "link/model/link_context.h"

/* Reports an error for each function that raises a kernel's register count above the kernel's
 * limit. A function raises the count of a kernel that reaches it if the function needs more
 * registers. Every raise is traced, and is passed to the caller's callback raised_registers. The
 * field needed_registers of all kernels must be set. */
void register_limits(link_context *link);

#endif
