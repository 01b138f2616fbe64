/* The sections of unified tables, as merge walks the objects. */
#ifndef WARPLD_LINK_MERGE_MERGE_UNIFIED_H
#define WARPLD_LINK_MERGE_MERGE_UNIFIED_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"

/* In a relocatable output each stub keeps a section of its own. */
void unified_add_stub(struct warpld_link *link, struct function *stub);

/* A section of variables or of records joins the output. */
void unified_merge(struct warpld_link *link, struct input_object *object, uint32_t section);

void unified_start(struct warpld_link *link);

/* The sections that come before those of all objects: records of functions and the index file. */
void unified_start_index(struct warpld_link *link);

/* Writes the records; all indices are known. */
void unified_write(const struct warpld_link *link, const struct output_section *section,
                   uint8_t *place);

#endif
