/* Merges .nv_debug_info_reg_sass, the table of variables that native code keeps in registers.
 * nvlink regenerates the native table from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_REGISTERS_H
#define WARPLD_LINK_MERGE_DEBUG_REGISTERS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Appends a native .nv_debug_info_reg_sass section. Sets the addresses of each function to 0 if the
 * function, or this copy of it, is not in the output. */
void debug_registers_merge(link_context *link, struct input_object *object, uint32_t section,
                           struct output_section *output);

#endif
