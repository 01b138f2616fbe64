/* Searches for definitions of undefined symbols in images of fat binaries that are for other
 * targets, and were therefore not chosen. */
#ifndef WARPLD_LINK_IMAGE_OTHER_IMAGES_H
#define WARPLD_LINK_IMAGE_OTHER_IMAGES_H

struct input_unit;
struct warpld_link;

/* The images for other targets that define one undefined symbol. */
struct other_definition {
    const struct input_unit *unit; /* the first unit with such an image, or NULL */
    const char *targets; /* targets of the unit's images that define it, such as "sm_80, sm_86" */
};

/* Searches the machine code and the PTX of all fat binaries for definitions of undefined symbols.
 * `by_number` has one element for each of these symbols, at the index undefined_number - 1. The
 * elements must be zero. */
void other_images_search(struct warpld_link *link, struct other_definition *by_number);

#endif
