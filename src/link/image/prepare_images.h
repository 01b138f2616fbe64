/* Unpacks and checks the images of many fat binaries on several threads. pass_load then takes the
 * images in the order of the inputs. */
#ifndef WARPLD_LINK_IMAGE_PREPARE_IMAGES_H
#define WARPLD_LINK_IMAGE_PREPARE_IMAGES_H

#include "link/model/link_context.h"

/* Requires: the units of the link. Makes: input_unit.prepared of each unit whose image is valid.
 * Reports nothing: all other images are opened again, in the order of the inputs, and reported
 * then. */
void prepare_images(link_context *link);

#endif
