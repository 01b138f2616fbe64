/* Line tables of the native view, which nvlink makes anew from sm_100 on. */
#ifndef WARPLD_LINK_MERGE_DEBUG_LINE_H
#define WARPLD_LINK_MERGE_DEBUG_LINE_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* .debug_line or .nv_debug_line_sass. */
bool debug_line_is_table(const char *name);

/* Joins a native .debug_line or .nv_debug_line_sass section: of each unit the sequences of
 * functions that are not in the output are left out. */
void debug_line_merge(link_context *link, struct input_object *object, uint32_t section,
                      struct output_section *output);

/* Offsets in .debug_str, which name inlined functions in the header of a unit: only the Mercury
 * view has entries for them, and nvlink writes the same value in both (observed with -lineinfo for
 * all targets from sm_100 on). section: the native one, whose bytes are those in the output. */
void debug_line_write_references(link_context *link, const struct output_section *section,
                                 uint8_t *bytes);

#endif
