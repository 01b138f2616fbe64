/* Whole input sections that join output sections. */
#ifndef WARPLD_LINK_MERGE_MERGE_SECTIONS_H
#define WARPLD_LINK_MERGE_MERGE_SECTIONS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* An input section goes where its kind goes, unless it is there already. */
void merge_data(link_context *link, struct input_object *object, uint32_t section);

/* An input section joins the output's section of its name. */
void merge_append(link_context *link, struct input_object *object, uint32_t section,
                  enum section_shape shape);

#endif
