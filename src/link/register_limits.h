/* Kernels that are limited to fewer registers than they need. */
#ifndef WARPLD_LINK_REGISTER_LIMITS_H
#define WARPLD_LINK_REGISTER_LIMITS_H

#include "link/link.h"

enum { NO_REGISTER_LIMIT = 0xff }; /* what MAXREG_COUNT says then */

/* Whether the kernel, with all that it reaches, needs more registers than it is limited to. */
bool register_limit_is_broken(const struct function *kernel);

/* Reports the functions that break the limits of kernels; needs needed_registers of all kernels. */
void register_limits(link_context *link);

#endif
