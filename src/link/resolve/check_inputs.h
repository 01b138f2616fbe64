/* Checks that the inputs agree, object by object. */
#ifndef WARPLD_LINK_RESOLVE_CHECK_INPUTS_H
#define WARPLD_LINK_RESOLVE_CHECK_INPUTS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Checks an object against those before it, and takes over its prototypes and its .nv.compat.
 * pass_resolve calls this for each object. */
void check_inputs(link_context *link, struct input_object *object);

#endif
