/* Passes a link on to NVIDIA's library; see nvidia.h. What that library logs is appended to the
 * logs of the link. */
#include "nvjitlink/nvidia.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/log.h"
#include "nvjitlink/nvidia_search.h"
#include "nvjitlink/options.h"
#include "nvjitlink/partial.h"
#include "nvjitlink/release.h"

typedef nvJitLinkResult nvidia_getter_function(nvJitLinkHandle handle, void *out);

struct nvidia_library {
    __typeof__(nvJitLinkCreate) *create;
    __typeof__(nvJitLinkDestroy) *destroy;
    __typeof__(nvJitLinkAddData) *add_data;
    __typeof__(nvJitLinkComplete) *complete;
    nvidia_getter_function *getters[NVIDIA_GETTERS]; /* NULL for LTO-IR if the library has no such
                                                      * function */
};

static const char *const GETTER_NAMES[] = {
    [NVIDIA_CUBIN_SIZE] = "GetLinkedCubinSize",  [NVIDIA_CUBIN] = "GetLinkedCubin",
    [NVIDIA_PTX_SIZE] = "GetLinkedPtxSize",      [NVIDIA_PTX] = "GetLinkedPtx",
    [NVIDIA_LTOIR_SIZE] = "GetLinkedLTOIRSize",  [NVIDIA_LTOIR] = "GetLinkedLTOIR",
    [NVIDIA_ERROR_LOG_SIZE] = "GetErrorLogSize", [NVIDIA_ERROR_LOG] = "GetErrorLog",
    [NVIDIA_INFO_LOG_SIZE] = "GetInfoLogSize",   [NVIDIA_INFO_LOG] = "GetInfoLog",
};

/* --------------------------------------------------------------------------------------------- */
/* Loading                                                                                       */

/* Finds a function by its plain name, or by the name with the number of a release: releases 12.0 to
 * 12.2 have no plain names. */
static void *find_function(void *library, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "nvJitLink%s", name);
    void *found = dlsym(library, full);
    for (int minor = 9; minor >= 0 && !found; minor--) {
        snprintf(full, sizeof full, "__nvJitLink%s_%u_%d", name, jit_release.major, minor);
        found = dlsym(library, full);
    }
    return found;
}

/* Finds a function and copies its address to *function, because ISO C has no cast from a pointer to
 * an object to a pointer to a function. */
static void set_function(void *function, void *library, const char *name)
{
    void *found = find_function(library, name);
    memcpy(function, &found, sizeof found);
}

static bool load(struct nvidia_library *library, const char *path)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return false;
    set_function(&library->create, opened, "Create");
    set_function(&library->destroy, opened, "Destroy");
    set_function(&library->add_data, opened, "AddData");
    set_function(&library->complete, opened, "Complete");
    for (size_t i = 0; i < NVIDIA_GETTERS; i++)
        set_function(&library->getters[i], opened, GETTER_NAMES[i]);
    bool is_whole = library->create && library->destroy && library->add_data && library->complete;
    for (size_t i = 0; i < NVIDIA_GETTERS; i++)
        is_whole &= library->getters[i] || i == NVIDIA_LTOIR || i == NVIDIA_LTOIR_SIZE;
    if (!is_whole)
        dlclose(opened);
    return is_whole;
}

/* Loads NVIDIA's library once for all links. Until it is found, each link searches again. */
static const struct nvidia_library *find_library(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct nvidia_library library;
    static bool is_loaded;
    pthread_mutex_lock(&mutex);
    if (!is_loaded) {
        char *path = nvidia_search(NULL);
        is_loaded = path && load(&library, path);
        free(path);
    }
    const struct nvidia_library *found = is_loaded ? &library : NULL;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* --------------------------------------------------------------------------------------------- */
/* Passing on                                                                                    */

/* Copies the part of NVIDIA's log that is new since the last call, and increases *copied by its
 * size. NVIDIA's logs only grow, so this part begins after the first *copied bytes. */
static void copy_log(struct jit_link *link, enum nvidia_getter size_getter,
                     enum nvidia_getter getter, struct jit_log *log, size_t *copied)
{
    size_t size = 0;
    if (nvidia_get(link, size_getter, &size) != NVJITLINK_SUCCESS || !size)
        return;
    char *text = calloc(size + 1, 1);
    bool has_text = text && nvidia_get(link, getter, text) == NVJITLINK_SUCCESS;
    size_t length = has_text ? strlen(text) : 0;
    if (length > *copied) {
        jit_log_add(log, text + *copied, length - *copied);
        *copied = length;
    }
    free(text);
}

static nvJitLinkResult with_logs(struct jit_link *link, nvJitLinkResult result)
{
    copy_log(link, NVIDIA_ERROR_LOG_SIZE, NVIDIA_ERROR_LOG, &link->errors, &link->copied_errors);
    copy_log(link, NVIDIA_INFO_LOG_SIZE, NVIDIA_INFO_LOG, &link->infos, &link->copied_infos);
    return result;
}

nvJitLinkResult nvidia_start(struct jit_link *link)
{
    const struct nvidia_library *library = find_library();
    if (!library)
        return NVJITLINK_SUCCESS;
    const struct jit_options *options = &link->options;
    nvJitLinkResult result =
        library->create(&link->nvidia_handle, options->count, options->arguments);
    if (link->nvidia_handle)
        link->nvidia = library;
    return link->nvidia ? with_logs(link, result) : result;
}

nvJitLinkResult nvidia_add(struct jit_link *link, nvJitLinkInputType type, const void *data,
                           size_t size, const char *name)
{
    nvJitLinkResult result = link->nvidia->add_data(link->nvidia_handle, type, data, size, name);
    if (result == NVJITLINK_SUCCESS)
        partial_keep(link, data, size, name);
    return with_logs(link, result);
}

nvJitLinkResult nvidia_complete(struct jit_link *link)
{
    link->is_complete = true;
    return with_logs(link, link->nvidia->complete(link->nvidia_handle));
}

nvJitLinkResult nvidia_get(const struct jit_link *link, enum nvidia_getter getter, void *out)
{
    if (!link->nvidia->getters[getter])
        return NVJITLINK_ERROR_INTERNAL;
    return link->nvidia->getters[getter](link->nvidia_handle, out);
}

void nvidia_end(struct jit_link *link)
{
    if (link->nvidia)
        link->nvidia->destroy(&link->nvidia_handle);
}

void nvidia_report_missing(struct jit_link *link, const char *name)
{
    struct jit_log tried = {.text = NULL};
    free(nvidia_search(&tried));
    jit_log_print(
        &link->errors,
        "ERROR NVJITLINK_ERROR_NVVM_COMPILE: LTO-IR of %s needs NVIDIA's %s, which was not "
        "found (tried%s); set WARPLD_NVJITLINK to its path\n",
        name, jit_release.soname, tried.size ? tried.text : " nothing");
    jit_log_free(&tried);
}
