/* Sections of types that no table here has, which newer compilers may write. */
#ifndef WARPLD_LINK_INPUT_UNKNOWN_SECTIONS_H
#define WARPLD_LINK_INPUT_UNKNOWN_SECTIONS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Warns of such sections of an object, which no pass looks at. False, with a message, when the
 * object cannot do without one. */
bool unknown_sections_accept(link_context *link, const struct input_object *object);

#endif
