/* How many registers kernels have, and that some are limited to fewer than they need. */
#ifndef WARPLD_LINK_REGISTER_LIMITS_H
#define WARPLD_LINK_REGISTER_LIMITS_H

#include "link/link.h"

enum { NO_REGISTER_LIMIT = 0xff }; /* what MAXREG_COUNT says then */

/* Whether the kernel, with all that it reaches, needs more registers than it is limited to. */
bool register_limit_is_broken(const struct function *kernel);

/* Reports the functions that break the limits of kernels; needs needed_registers of all kernels. */
void register_limits(link_context *link);

/* Makes the records of kernels that have none; needs the same. */
void register_records(link_context *link);
void register_report_no_count(link_context *link, const struct function *function);

/* A weak function has the place of its first copy that was accepted. */
static inline bool input_copy_is_accepted(const struct input_object *object, uint32_t symbol)
{
    return object->copies[symbol] == COPY_USED || object->copies[symbol] == COPY_REPLACED;
}

#endif
