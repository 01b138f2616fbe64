/* From each unit the image for the target.
 *
 * That is the bytes of one relocatable cubin: machine code as it is or unpacked, or PTX compiled by
 * the caller's compiler, all of a link in one call, so that several can run at once. */
#ifndef WARPLD_LINK_INPUT_CHOOSE_IMAGES_H
#define WARPLD_LINK_INPUT_CHOOSE_IMAGES_H

#include "base/arena.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

struct image_choice {
    struct warpld_link *link;
    GROWING_ARRAY(struct warpld_compile_request, requests);
    GROWING_ARRAY(struct input_object *, compiled); /* what each request is for */
    char target[16];
};

/* Adds the image of a unit to the link's, or says why there is none. That of PTX has no bytes yet.
 */
void choose_image(struct image_choice *choice, struct input_unit *unit);

/* Gives the images of PTX their bytes, and shows the messages that were held because of it. */
void compile_images(struct image_choice *choice);

/* Gives back what the compiler made, if it still is to be given back: also when memory runs out. */
void release_compiled(struct warpld_link *link);

#endif
