/* Writes those sections that describe the program and contain symbol indices; see metadata.c. */
#ifndef WARPLD_LINK_WRITE_METADATA_H
#define WARPLD_LINK_WRITE_METADATA_H

#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Whether .nv.prototype lists the function. */
bool metadata_has_prototype(const struct function *function);

/* Writes the section if it is the call graph, the prototypes or the data about functions
 * (src/link/model/function_data.h). `out` must have space for section->size bytes. */
void metadata_write(link_context *link, const struct output_section *section, uint8_t *out);

#endif
