/* Appends whole input sections to output sections. */
#ifndef WARPLD_LINK_MERGE_MERGE_SECTIONS_H
#define WARPLD_LINK_MERGE_MERGE_SECTIONS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Merges an input section as its kind requires, unless it was merged already. */
void merge_data(link_context *link, struct input_object *object, uint32_t section);

/* Appends an input section to the output section of its name. */
void merge_append(link_context *link, struct input_object *object, uint32_t section,
                  enum section_shape shape);

#endif
