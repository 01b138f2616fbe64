/* Inputs that many links share; see warpld_library in warpld.h.
 *
 *      shared_input    libx.a  ------>  shared_unit    libx.a:f.o  ------>  shared_image  sm_80
 *                              \                                   \----->  shared_image  sm_90
 *                               \---->  shared_unit    libx.a:g.o
 *
 * Passes write to input_file, input_unit and input_object, so each link has its own structures of
 * these types. They refer to the shared structures in the drawing, which no link changes. An image
 * is unpacked and checked only when a link first chooses it, because a library has images for many
 * targets. If the shared image cannot be made, each link opens the bytes itself, and reports what
 * is wrong with them. */
#ifndef WARPLD_LINK_INPUT_SHARED_INPUTS_H
#define WARPLD_LINK_INPUT_SHARED_INPUTS_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/fatbin.h"
#include "format/elf_view.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* The resources for making images. Only one thread at a time uses an image_maker. */
struct image_maker {
    pthread_mutex_t mutex;
    struct arena arena;
    struct fatbin_unpacker unpacker;
    jmp_buf exhausted;
};

/* The number of a library's image makers. The index of an entry in the fat binary decides which
 * maker makes the image of the entry, so no two makers make the same image. Links for different
 * targets choose different entries, and can therefore make their images at the same time. */
enum { IMAGE_MAKERS = 8 };

struct shared_unit {
    struct input_unit unit;     /* copied to each link; hosts_before counts from the start of the
                                   input */
    struct image_maker *makers; /* the library's array of IMAGE_MAKERS elements */
    /* One element for each entry of a fat binary; a cubin has one element. An element is NULL until
     * a link chooses that image. */
    _Atomic(const struct shared_image *) *images;
    uint32_t images_count;
};

struct shared_input {
    struct input_file file; /* copied to each link */
    /* Whether opening the file reports nothing and reads no other file. If so, the following fields
     * contain what a link finds in the file. If not, each link opens the file itself. */
    bool is_silent;
    struct shared_unit *units;
    uint32_t units_count;
    /* The next two fields are like those of struct input_state, but for this file only. */
    uint32_t host_object_count;
    bool has_silent_host_object;
    /* The ids of linked objects (see skip_units.c) that this input lists, but no earlier input. */
    const char **linked_before;
    uint32_t linked_before_count;
};

void image_maker_init(struct image_maker *maker);
void image_maker_destroy(struct image_maker *maker);

/* Opens a file that was read, for all links. `reader` is a link that never runs; the result is in
 * the reader's arena. */
struct shared_input *share_input(link_context *reader, struct input_file *file,
                                 struct image_maker *makers);

/* Makes the image of an entry of the unit's fat binary or, if `entry` is NULL, of the unit's cubin.
 * An image that is not a valid cubin has no view. Returns NULL if the entry cannot be unpacked. */
const struct shared_image *make_image(struct arena *arena, struct fatbin_unpacker *unpacker,
                                      const struct input_unit *unit,
                                      const struct fatbin_entry *entry);

/* Adds to the link the units of a file that is a copy of a shared input. Returns false if the link
 * has to open the file itself. */
bool take_shared_units(link_context *link, struct input_file *file);

/* Adds to the link the units that the snapshot of a file lists. Returns false if the link has to
 * open the file itself. */
bool take_snapshot_units(link_context *link, struct input_file *file);

/* Returns the shared image of an entry of the unit's fat binary, or of the unit's cubin. The first
 * call for an image makes it. Returns NULL if the unit is not shared, or if the link has to open
 * the image itself. */
const struct shared_image *shared_image_of(const struct input_unit *unit, uint32_t index,
                                           const struct fatbin_entry *entry);

#endif
