/* Appends REGCOUNT records for kernels that have none. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H
#define WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Appends the missing records. The field needed_registers of all kernels must be set. */
void register_records(link_context *link);

/* Reports that the number of registers of a function is unknown. Does nothing if an earlier error
 * of this kind has ended the link. */
void register_report_no_count(link_context *link, const struct function *function);

#endif
