/* Links the same objects in memory repeatedly, each time with a new link:
 *
 *     library_links LINKS ARCH OBJECT...
 *
 * prints the microseconds of one link with libwarpld and, if the environment variable LIBNVJITLINK
 * names NVIDIA's library, of one with that library. The links are made in ten parts, in which the
 * libraries take turns. Each number is the median of the parts.
 *
 *     library_links LINKS ARCH OBJECT... --shared LIBRARY
 *
 * prints the microseconds of one link with libwarpld in three ways, measured in the same manner:
 * without LIBRARY, with a warpld_library that was made of it before, and with it among the inputs.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "warpld.h"

enum { PARTS = 10, MOST_OBJECTS = 16 };

struct object {
    const char *name;
    void *bytes;
    size_t size;
};

struct task {
    const char *architecture;
    struct object objects[MOST_OBJECTS];
    int count;
    struct object library;         /* added to the inputs, unless it has no bytes */
    struct warpld_library *shared; /* used by each link, unless it is NULL */
};

static void fail(const char *problem)
{
    fprintf(stderr, "library_links: %s\n", problem);
    exit(1);
}

static void read_object(struct object *object, const char *path)
{
    *object = (struct object){.name = path};
    if (!read_whole_file(path, &object->bytes, &object->size))
        fail(path);
}

/* --------------------------------------------------------------------------------------------- */
/* The two libraries                                                                             */

static void link_with_warpld(const struct task *task)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = task->architecture;
    struct warpld_link *link;
    if (warpld_create(&options, &link) != WARPLD_OK)
        fail("warpld_create failed");
    for (int i = 0; i < task->count; i++)
        warpld_add_memory(link, task->objects[i].name, task->objects[i].bytes,
                          task->objects[i].size);
    if (task->library.bytes)
        warpld_add_memory(link, task->library.name, task->library.bytes, task->library.size);
    if (task->shared)
        warpld_add_shared(link, task->shared);
    const void *output;
    size_t size;
    if (warpld_run(link) != WARPLD_OK || warpld_output(link, &output, &size) != WARPLD_OK)
        fail("libwarpld cannot link the objects");
    warpld_destroy(link);
}

/* The functions as NVIDIA's documentation describes them. Exported names end in the version. */
struct nvjitlink {
    int (*create)(void **handle, uint32_t count, const char **options);
    int (*destroy)(void **handle);
    int (*add)(void *handle, int kind, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
    int (*size)(void *handle, size_t *size);
    int (*get)(void *handle, void *output);
};

static void *function(void *library, const char *name)
{
    static const char *const SUFFIXES[] = {"_13_0", "_12_0"};
    for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
        char full[64];
        snprintf(full, sizeof full, "__nvJitLink%s%s", name, SUFFIXES[i]);
        void *found = dlsym(library, full);
        if (found)
            return found;
    }
    fail(name);
    return NULL;
}

static bool open_nvjitlink(struct nvjitlink *library)
{
    const char *path = getenv("LIBNVJITLINK");
    void *handle = path ? dlopen(path, RTLD_NOW) : NULL;
    if (!handle)
        return false;
    *(void **)&library->create = function(handle, "Create");
    *(void **)&library->destroy = function(handle, "Destroy");
    *(void **)&library->add = function(handle, "AddData");
    *(void **)&library->complete = function(handle, "Complete");
    *(void **)&library->size = function(handle, "GetLinkedCubinSize");
    *(void **)&library->get = function(handle, "GetLinkedCubin");
    return true;
}

static void link_with_nvjitlink(const struct nvjitlink *library, const struct task *task)
{
    enum { CUBIN_INPUT = 1 };
    char option[32];
    snprintf(option, sizeof option, "-arch=%s", task->architecture);
    const char *options[] = {option};
    void *handle = NULL;
    int failed = library->create(&handle, 1, options);
    for (int i = 0; i < task->count && !failed; i++)
        failed = library->add(handle, CUBIN_INPUT, task->objects[i].bytes, task->objects[i].size,
                              task->objects[i].name);
    size_t size = 0;
    failed = failed || library->complete(handle) || library->size(handle, &size);
    void *output = malloc(size ? size : 1);
    if (failed || !output || library->get(handle, output))
        fail("nvJitLink cannot link the objects");
    free(output);
    library->destroy(&handle);
}

/* --------------------------------------------------------------------------------------------- */

/* Microseconds of one link. */
static double time_links(int links, const struct nvjitlink *library, const struct task *task)
{
    double start = microseconds_now();
    for (int i = 0; i < links; i++)
        if (library)
            link_with_nvjitlink(library, task);
        else
            link_with_warpld(task);
    return (microseconds_now() - start) / links;
}

/* Prints the times of the three links with --shared; see the head of the file. */
static int compare_shared(int links, struct task task, const char *path)
{
    struct task with_shared = task, with_library = task;
    double times[3][PARTS];
    read_object(&with_library.library, path);
    if (warpld_library_create(&with_shared.shared) != WARPLD_OK ||
        warpld_library_add_file(with_shared.shared, path) != WARPLD_OK)
        fail(path);
    for (int part = 0; part < PARTS; part++) {
        times[0][part] = time_links(links / PARTS, NULL, &task);
        times[1][part] = time_links(links / PARTS, NULL, &with_shared);
        times[2][part] = time_links(links / PARTS, NULL, &with_library);
    }
    warpld_library_destroy(with_shared.shared);
    printf("%.2f %.2f %.2f\n", median_of(times[0], PARTS), median_of(times[1], PARTS),
           median_of(times[2], PARTS));
    return 0;
}

int main(int count, char **arguments)
{
    int links = count < 4 ? 0 : atoi(arguments[1]);
    bool has_shared = count > 5 && !strcmp(arguments[count - 2], "--shared");
    struct task task = {.architecture = arguments[2], .count = count - 3 - 2 * has_shared};
    if (links < PARTS || task.count > MOST_OBJECTS)
        fail("usage: library_links LINKS ARCH OBJECT... [--shared LIBRARY]");
    for (int i = 0; i < task.count; i++)
        read_object(&task.objects[i], arguments[i + 3]);
    if (has_shared)
        return compare_shared(links, task, arguments[count - 1]);
    struct nvjitlink library = {.create = NULL};
    bool has_library = open_nvjitlink(&library);
    double ours[PARTS], theirs[PARTS];
    for (int part = 0; part < PARTS; part++) {
        ours[part] = time_links(links / PARTS, NULL, &task);
        theirs[part] = has_library ? time_links(links / PARTS, &library, &task) : 0;
    }
    printf("%.2f %.2f\n", median_of(ours, PARTS), median_of(theirs, PARTS));
    return 0;
}
