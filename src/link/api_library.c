/* The public interface of libraries that links share; documented in warpld.h. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "link/handle.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/shared_inputs.h"
#include "link/library.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

enum warpld_status warpld_library_create(struct warpld_library **library)
{
    if (!library)
        return WARPLD_ERROR_ARGUMENT;
    *library = NULL;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct warpld_library *created = calloc(1, sizeof *created);
    if (!created)
        return WARPLD_ERROR_MEMORY;
    enum warpld_status status = warpld_create(&options, &created->reader);
    if (status != WARPLD_OK) {
        free(created);
        return status;
    }
    for (int i = 0; i < IMAGE_MAKERS; i++)
        image_maker_init(&created->makers[i]);
    created->reader->arena.limit = (size_t)1 << 30;
    atomic_init(&created->references, 1);
    atomic_init(&created->is_in_use, false);
    *library = created;
    return WARPLD_OK;
}

void library_release(struct warpld_library *library)
{
    if (atomic_fetch_sub_explicit(&library->references, 1, memory_order_acq_rel) > 1)
        return;
    warpld_destroy(library->reader);
    for (int i = 0; i < IMAGE_MAKERS; i++)
        image_maker_destroy(&library->makers[i]);
    free(library);
}

void warpld_library_destroy(struct warpld_library *library)
{
    if (library)
        library_release(library);
}

static struct input_file *last_file(struct warpld_library *library)
{
    const struct input_state *input = library->reader->input;
    return input->files[input->files_count - 1];
}

/* Lets the library allocate as much memory as a link with an input of this size may use (see
 * inputs_allow_memory). Each image maker may allocate the same amount again, for the images that it
 * unpacks. */
static void allow_memory(struct warpld_library *library, uint64_t size)
{
    inputs_allow_memory(library->reader, size);
    for (int i = 0; i < IMAGE_MAKERS; i++)
        library->makers[i].arena.limit = library->reader->arena.limit;
}

/* Opens the file that warpld_add_memory or warpld_add_file added to the reader. */
static void open_added(struct warpld_library *library)
{
    struct arena *arena = &library->reader->arena;
    struct input_file *file = last_file(library);
    struct shared_input *shared = share_input(library->reader, file, library->makers);
    *ARENA_APPEND(arena, library, inputs) = shared;
}

/* Returns WARPLD_OK if inputs can still be added to the library, else the error that the public
 * function returns. */
static enum warpld_status status_before_use(struct warpld_library *library)
{
    if (!library || library->is_in_use)
        return WARPLD_ERROR_ARGUMENT;
    return handle_status_before_run(library->reader);
}

enum warpld_status warpld_library_add_memory(struct warpld_library *library, const char *name,
                                             const void *data, size_t size)
{
    enum warpld_status status = status_before_use(library);
    if (status != WARPLD_OK)
        return status;
    if (!name || (!data && size))
        return WARPLD_ERROR_ARGUMENT;
    struct warpld_link *reader = library->reader;
    if (setjmp(handle_of(reader)->out_of_memory))
        return WARPLD_ERROR_MEMORY;
    allow_memory(library, size);
    void *copy = arena_alloc(&reader->arena, size);
    if (size)
        memcpy(copy, data, size);
    status = warpld_add_memory(reader, name, copy, size);
    if (status != WARPLD_OK)
        return status;
    if (setjmp(handle_of(reader)->out_of_memory))
        return WARPLD_ERROR_MEMORY;
    open_added(library);
    return WARPLD_OK;
}

enum warpld_status warpld_library_add_file(struct warpld_library *library, const char *path)
{
    enum warpld_status status = status_before_use(library);
    if (status != WARPLD_OK)
        return status;
    if (!path)
        return WARPLD_ERROR_ARGUMENT;
    struct warpld_link *reader = library->reader;
    status = warpld_add_file(reader, path);
    if (status != WARPLD_OK)
        return status;
    if (setjmp(handle_of(reader)->out_of_memory))
        return WARPLD_ERROR_MEMORY;
    input_file_load(last_file(library), reader, &reader->arena);
    allow_memory(library, last_file(library)->size);
    open_added(library);
    return WARPLD_OK;
}

/* Takes a reference to the library. The list is extended first, because that ends the function if
 * memory runs out. A reference that was counted before would then never be released. */
static void hold_library(struct warpld_link *link, struct warpld_library *library)
{
    *ARENA_APPEND(&link->arena, link->input, shared_libraries) = library;
    atomic_fetch_add_explicit(&library->references, 1, memory_order_relaxed);
    atomic_store_explicit(&library->is_in_use, true, memory_order_relaxed);
}

enum warpld_status warpld_add_shared(struct warpld_link *link, struct warpld_library *library)
{
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!library)
        return handle_refuse_null(link, "warpld_add_shared", "library");
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    if (handle_of(library->reader)->failure)
        arena_give_up(&link->arena);
    hold_library(link, library);
    for (uint32_t i = 0; i < library->inputs_count; i++) {
        struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
        *file = library->inputs[i]->file;
        *ARENA_APPEND(&link->arena, link->input, files) = file;
    }
    return WARPLD_OK;
}
