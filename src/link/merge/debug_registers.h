/* Merges the table that says which registers of native code hold which variables. nvlink
 * regenerates it from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_REGISTERS_H
#define WARPLD_LINK_MERGE_DEBUG_REGISTERS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Appends a native .nv_debug_info_reg_sass section. Sets the addresses in functions, or copies of
 * functions, that are not in the output to 0. */
void debug_registers_merge(link_context *link, struct input_object *object, uint32_t section,
                           struct output_section *output);

#endif
