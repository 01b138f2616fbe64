/* Kernels that are limited to fewer registers than they need. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H
#define WARPLD_LINK_RESOURCES_REGISTER_LIMITS_H

#include "link/model/link_context.h"

/* Of MAXREG_COUNT the lower byte counts: 300 is 44, and 256, like 0, no limit. Without the record
 * it is 255, more than any code can have (observed with patched objects). */
enum { NO_REGISTER_LIMIT = 0, USUAL_REGISTER_LIMIT = 255 };

/* Reports the functions that break the limits of kernels; needs needed_registers of all kernels. */
void register_limits(link_context *link);

#endif
