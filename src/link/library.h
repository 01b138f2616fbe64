/* The structure that warpld_library points to; see warpld.h for the calls. */
#ifndef WARPLD_LINK_LIBRARY_H
#define WARPLD_LINK_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "link/input/shared_inputs.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct warpld_library {
    /* Opens the inputs, whose contents are in its arena, and never runs. */
    struct warpld_link *reader;
    struct image_maker makers[IMAGE_MAKERS];
    GROWING_ARRAY(struct shared_input *, inputs); /* in the order in which they were added */
    atomic_size_t references;                     /* of the caller and of links */
    atomic_bool is_in_use;                        /* by a link: nothing can be added any more */
};

/* Releases one reference; the last one frees the library. */
void library_release(struct warpld_library *library);

#endif
