/* Handles sections whose types warpld does not know, as newer compilers may write them. */
#ifndef WARPLD_LINK_IMAGE_UNKNOWN_SECTIONS_H
#define WARPLD_LINK_IMAGE_UNKNOWN_SECTIONS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Warns about an object's sections of unknown types, which all passes ignore. If the object needs
 * such a section, reports an error and returns false. */
bool unknown_sections_accept(link_context *link, const struct input_object *object);

#endif
