/* Checks that the inputs agree, object by object. */
#ifndef WARPLD_LINK_RESOLVE_CHECK_INPUTS_H
#define WARPLD_LINK_RESOLVE_CHECK_INPUTS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Called by resolve. */
void check_inputs(link_context *link, struct input_object *object);

#endif
