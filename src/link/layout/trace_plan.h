/* Writes --trace lines about addresses and attribute records; see trace_plan.c. */
#ifndef WARPLD_LINK_LAYOUT_TRACE_PLAN_H
#define WARPLD_LINK_LAYOUT_TRACE_PLAN_H

#include "link/model/link_context.h"

void trace_global_addresses(link_context *link);
void trace_constant_offsets(link_context *link);
void trace_records(link_context *link);

#endif
