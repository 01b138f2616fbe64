/* Opens an image that was chosen. */
#ifndef WARPLD_LINK_IMAGE_OPEN_IMAGE_H
#define WARPLD_LINK_IMAGE_OPEN_IMAGE_H

#include <stdbool.h>

#include "link/model/link_context.h"

struct input_object;

/* Validates an object whose bytes are in memory, reads its header and notes, and checks whether it
 * can be linked. Returns false if it cannot be linked. This ends the link only if a fatal
 * diagnostic was reported. */
bool open_image(link_context *link, struct input_object *object);

/* Whether the image has bytes. PTX, which is compiled later, and the object that will be made from
 * LTO-IR do not have bytes yet. */
bool image_has_bytes(const struct input_object *image);

#endif
