/* REGCOUNT records for kernels without one. */
#ifndef WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H
#define WARPLD_LINK_RESOURCES_REGISTER_RECORDS_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Appends the missing records; requires needed_registers of all kernels. */
void register_records(link_context *link);

/* Reports that a function's number of registers is unknown, unless an earlier such error has ended
 * the link. */
void register_report_no_count(link_context *link, const struct function *function);

#endif
