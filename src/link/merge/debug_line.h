/* Merges the line tables of the native view, which nvlink regenerates from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_LINE_H
#define WARPLD_LINK_MERGE_DEBUG_LINE_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Returns true for .debug_line and .nv_debug_line_sass. */
bool debug_line_is_table(const char *name);

/* Appends a native .debug_line or .nv_debug_line_sass section. Leaves out the sequences of
 * functions that are not in the output. */
void debug_line_merge(link_context *link, struct input_object *object, uint32_t section,
                      struct output_section *output);

/* Writes the references to names of inlined functions into the headers of units. A reference is the
 * offset of the name in .debug_str. Only the Mercury view has relocations for these references, but
 * nvlink writes the same values in both views (observed with -lineinfo for all targets from sm_100
 * on). `section` is the native table, and `bytes` are its bytes in the output. */
void debug_line_write_references(link_context *link, const struct output_section *section,
                                 uint8_t *bytes);

#endif
