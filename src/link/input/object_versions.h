/* The versions that a device object states. */
#ifndef WARPLD_LINK_INPUT_OBJECT_VERSIONS_H
#define WARPLD_LINK_INPUT_OBJECT_VERSIONS_H

#include "link/model/input_object.h"

/* Sets the virtual SM and the toolkit of an object whose view is open. */
void object_versions_read(struct input_object *object);

#endif
