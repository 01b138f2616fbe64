/* `.nv.compat`: what the program asks of the hardware it runs on. */
#ifndef WARPLD_LINK_COMPAT_H
#define WARPLD_LINK_COMPAT_H

#include "link/link.h"

/* Makes the section of targets that have one. */
void compat_start(link_context *link);

/* An object's records join those of the objects before it. */
void compat_merge(link_context *link, const struct input_object *object);

/* Writes down what the objects came to. */
void compat_finish(link_context *link);

#endif
