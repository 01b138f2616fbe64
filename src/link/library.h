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
    /* A link that opens the inputs and never runs. Its arena holds their contents. */
    struct warpld_link *reader;
    struct image_maker makers[IMAGE_MAKERS];
    GROWING_ARRAY(struct shared_input *, inputs); /* in the order in which they were added */
    atomic_size_t references;                     /* one for the caller, one for each link */
    atomic_bool is_in_use; /* some link uses the library, so no more inputs can be added */
};

/* Releases one reference; the last one frees the library. */
void library_release(struct warpld_library *library);

#endif
