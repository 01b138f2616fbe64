/* Merges the sections of the unified tables: the stubs, the variables and the entries. */
#ifndef WARPLD_LINK_MERGE_MERGE_UNIFIED_H
#define WARPLD_LINK_MERGE_MERGE_UNIFIED_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"

/* Makes the section for the code of a stub. In a relocatable output, each stub has its own section.
 * In an executable, all stubs share .nv.uft. */
void unified_add_stub(struct warpld_link *link, struct function *stub);

/* Merges an input section that belongs to the unified tables: variables, entries of a table, or an
 * index file. */
void unified_merge(struct warpld_link *link, struct input_object *object, uint32_t section);

/* Makes .nv.uft.entry in a final link if some input has entries of functions. */
void unified_start(struct warpld_link *link);

/* Makes .nv.uidx from the index file. Called before the sections of any object are made. */
void unified_start_index(struct warpld_link *link);

/* Writes the entries of a table; symbol indices must be final. */
void unified_write(const struct warpld_link *link, const struct output_section *section,
                   uint8_t *out);

#endif
