/* Compiles PTX with the caller's compiler. All PTX of a link is passed in one call, so that the
 * caller can compile several texts in parallel. */
#ifndef WARPLD_LINK_INPUT_COMPILE_IMAGES_H
#define WARPLD_LINK_INPUT_COMPILE_IMAGES_H

#include <stdbool.h>

#include "base/bytes.h"
#include "link/input/choose_images.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "warpld.h"

/* Writes the name of the target that PTX is compiled for. */
void name_compiled_target(const struct warpld_link *link, char name[16]);

/* Compiles the images from PTX, and shows the messages that waited for this (held_messages.h). */
void compile_images(struct image_choice *choice);

/* Returns a request to compile PTX into the object. The PTX is made from LTO-IR, and added to the
 * request later. A whole program is compiled to an executable. `options` are the compiler options
 * that inputs require, or NULL. */
struct warpld_compile_request *request_for_optimised(struct warpld_link *link,
                                                     const struct input_object *object,
                                                     const char *options, bool is_whole_program);

/* Compiles the request into the object's bytes. Returns false if that failed, which is reported. */
bool compile_optimised(struct warpld_link *link, struct input_object *object,
                       const struct warpld_compile_request *request);

/* Releases the compiler's results unless that is done already. Also called when memory runs out. */
void release_compiled(struct warpld_link *link);

#endif
