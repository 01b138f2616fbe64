/* Compiles PTX with the caller's compiler. All PTX of a link is passed in one call, so that the
 * caller can compile several texts in parallel. */
#ifndef WARPLD_LINK_IMAGE_COMPILE_IMAGES_H
#define WARPLD_LINK_IMAGE_COMPILE_IMAGES_H

#include <stdbool.h>

#include "base/bytes.h"
#include "link/image/choose_images.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "warpld.h"

/* Writes the name of the target for which PTX is compiled. */
void name_compiled_target(const struct warpld_link *link, char name[16]);

/* Compiles the PTX of all requests, and shows the messages that were held until then
 * (held_messages.h). */
void compile_images(struct image_choice *choice);

/* Returns a request to compile the PTX that the optimiser makes from LTO-IR. The caller adds the
 * PTX to the request later. `object` will receive the result. `options` are the compiler options
 * that inputs require, or NULL. A whole program is compiled to an executable. */
struct warpld_compile_request *request_for_optimised(struct warpld_link *link,
                                                     const struct input_object *object,
                                                     const char *options, bool is_whole_program);

/* Compiles the PTX of the request, and stores the result in object->file. If compilation fails,
 * reports this and returns false. */
bool compile_optimised(struct warpld_link *link, struct input_object *object,
                       const struct warpld_compile_request *request);

/* Releases the compiler's results if they are not released yet. Called after the results were
 * copied, and when memory runs out. */
void release_compiled(struct warpld_link *link);

#endif
