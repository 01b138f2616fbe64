/* Line tables of the native view, which nvlink makes anew from sm_100 on. */
#ifndef WARPLD_LINK_DEBUG_LINE_H
#define WARPLD_LINK_DEBUG_LINE_H

#include "link/link.h"

/* Joins a native .debug_line or .nv_debug_line_sass section: of each unit the sequences of
 * functions that are not in the output are left out. */
void debug_line_merge(link_context *link, struct input_object *object, uint32_t section,
                      struct output_section *output);

#endif
