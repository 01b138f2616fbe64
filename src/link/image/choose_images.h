/* Chooses the image for the target from each unit: the bytes of one relocatable cubin, unpacked if
 * necessary, or PTX, which compile_images.h compiles. */
#ifndef WARPLD_LINK_IMAGE_CHOOSE_IMAGES_H
#define WARPLD_LINK_IMAGE_CHOOSE_IMAGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/fatbin.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

/* The requests to compile PTX that choose_image makes. */
struct image_choice {
    struct warpld_link *link;
    GROWING_ARRAY(struct warpld_compile_request, requests);
    GROWING_ARRAY(struct input_object *, compiled); /* the image that each request compiles */
    char target[16];
};

/* Adds the image of a unit to the link's images, or reports that the unit has none. An image that
 * will be compiled from PTX is added without bytes. */
void choose_image(struct image_choice *choice, struct input_unit *unit);

/* Finds the machine code that choose_image would take from a container. Returns false if it would
 * take none, or if the container is damaged. */
bool find_code(const struct warpld_link *link, struct bytes container, struct fatbin_entry *entry);

/* Returns the bytes of an object's image. If the object was opened from a snapshot, this call
 * unpacks the bytes from the input. If the bytes were released or cannot be unpacked, returns no
 * bytes and reports nothing. */
struct bytes object_image(link_context *link, const struct input_object *object);

/* The kinds of images that choose_image would take from one container of a fat binary. */
struct previewed_choice {
    bool has_code;
    bool has_ptx;
    bool has_lto_ir; /* LTO-IR for the target, even if another image is preferred */
};

/* Sets *choice. Returns a text that says what is wrong with the container, or NULL. The link's
 * target must be known. */
const char *preview_choice(const link_context *link, struct bytes container,
                           struct previewed_choice *choice);

#endif
