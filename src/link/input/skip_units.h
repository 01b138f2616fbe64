/* Skips units that were linked before, and units of the unused device runtime. */
#ifndef WARPLD_LINK_INPUT_SKIP_UNITS_H
#define WARPLD_LINK_INPUT_SKIP_UNITS_H

#include "format/container/host_object.h"
#include "link/model/link_context.h"

void note_linked_before(link_context *link, const struct host_object *host);

/* Called by open_inputs. */
void skip_linked_units(link_context *link);
bool was_linked_before(const link_context *link, const char *module_id);

#endif
