/* Merges the call frame information of the native view, which nvlink regenerates from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_FRAME_H
#define WARPLD_LINK_MERGE_DEBUG_FRAME_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Appends a native .debug_frame section. Leaves out the entries of functions that are not in the
 * output. Each kept FDE (frame description entry) refers to the CIE (common information entry)
 * before it. */
void debug_frame_merge(link_context *link, struct input_object *object, uint32_t section,
                       struct output_section *output);

#endif
