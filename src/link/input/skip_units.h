/* Skips units that an earlier device link contains, and units of the unused device runtime. */
#ifndef WARPLD_LINK_INPUT_SKIP_UNITS_H
#define WARPLD_LINK_INPUT_SKIP_UNITS_H

#include "format/container/host_object.h"
#include "link/model/link_context.h"

/* If a device link made the host object, records the ids of the objects that it contains. */
void note_linked_before(link_context *link, const struct host_object *host);

/* Skips the units of the recorded objects, if skip_linked_before is set. All inputs must be
 * open. */
void skip_linked_units(link_context *link);

/* Whether the object with this id was recorded and skip_linked_before is set. */
bool was_linked_before(const link_context *link, const char *module_id);

#endif
