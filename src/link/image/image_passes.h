/* The pass that chooses and opens the images of the inputs. */
#ifndef WARPLD_LINK_IMAGE_IMAGE_PASSES_H
#define WARPLD_LINK_IMAGE_IMAGE_PASSES_H

struct warpld_link;

void pass_load(struct warpld_link *link);

#endif
