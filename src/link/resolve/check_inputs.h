/* Checks that the inputs agree, object by object. */
#ifndef WARPLD_LINK_RESOLVE_CHECK_INPUTS_H
#define WARPLD_LINK_RESOLVE_CHECK_INPUTS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Checks that an object agrees with the objects before it. Also records its prototypes, and
 * combines its .nv.compat with those of the earlier objects. pass_resolve calls this for each
 * object. */
void check_inputs(link_context *link, struct input_object *object);

#endif
