/* Which registers hold which variables of native code, which nvlink makes anew from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_REGISTERS_H
#define WARPLD_LINK_MERGE_DEBUG_REGISTERS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Joins a native .nv_debug_info_reg_sass section: functions and copies that are not in the output
 * have no addresses. */
void debug_registers_merge(link_context *link, struct input_object *object, uint32_t section,
                           struct output_section *output);

#endif
