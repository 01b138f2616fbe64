/* Images of fat binaries that were not taken, because they are for other targets. */
#ifndef WARPLD_LINK_INPUT_OTHER_IMAGES_H
#define WARPLD_LINK_INPUT_OTHER_IMAGES_H

struct input_unit;
struct warpld_link;

/* Where a name is defined that nothing in the link defines. */
struct other_definition {
    const struct input_unit *unit; /* the first that has one; NULL: none */
    const char *targets;           /* "sm_80, sm_86": those of its images that define the name */
};

/* Looks through the machine code of all fat binaries. by_number: zeroed; of the names with an
 * undefined_number, counted from 1. */
void other_images_search(struct warpld_link *link, struct other_definition *by_number);

#endif
