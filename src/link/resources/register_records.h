/* Records about registers for kernels that come without one. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H
#define WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Makes the records of kernels that have none; needs needed_registers of all kernels. */
void register_records(link_context *link);

/* Reports that nothing says how many registers a function needs, unless the link has ended with an
 * earlier one. */
void register_report_no_count(link_context *link, const struct function *function);

#endif
