/* Times small links through libnvJitLink's interface: makes a handle, adds cubins, links, fetches
 * the output, destroys the handle.
 *
 *     nvjitlink_links RUNS LIBRARY,... CUBIN...
 *
 * The libraries take turns, so that all see the same machine. The first links of a batch are not
 * timed, because the library before has filled the caches: right after NVIDIA's, a link of ours
 * takes 130 microseconds, the fourth 16 and the hundredth 15. Prints the microseconds of one link
 * for each library: the median of the batches. Each is loaded by its path and never unloaded. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "warpld_nvjitlink.h"

enum { MOST_LIBRARIES = 4, MOST_CUBINS = 16, BATCHES = 21, NOT_TIMED = 4 };

struct library {
    __typeof__(nvJitLinkCreate) *create;
    __typeof__(nvJitLinkAddData) *add;
    __typeof__(nvJitLinkComplete) *complete;
    __typeof__(nvJitLinkGetLinkedCubinSize) *size;
    __typeof__(nvJitLinkGetLinkedCubin) *get;
    __typeof__(nvJitLinkDestroy) *destroy;
    double batches[BATCHES]; /* microseconds of one link */
};

struct cubin {
    const char *name;
    void *data;
    size_t size;
};

static void fail(const char *text, const char *name)
{
    fprintf(stderr, "nvjitlink_links: %s: %s\n", text, name);
    exit(1);
}

static void set(void *function, void *opened, const char *name)
{
    void *found = dlsym(opened, name);
    if (!found)
        fail("no such function", name);
    memcpy(function, &found, sizeof found);
}

static void load(struct library *library, const char *path)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        fail("cannot load", dlerror());
    set(&library->create, opened, "nvJitLinkCreate");
    set(&library->add, opened, "nvJitLinkAddData");
    set(&library->complete, opened, "nvJitLinkComplete");
    set(&library->size, opened, "nvJitLinkGetLinkedCubinSize");
    set(&library->get, opened, "nvJitLinkGetLinkedCubin");
    set(&library->destroy, opened, "nvJitLinkDestroy");
}

static void read_cubin(struct cubin *cubin, const char *path)
{
    cubin->name = path;
    if (!read_whole_file(path, &cubin->data, &cubin->size))
        fail("cannot read", path);
}

static void link_once(const struct library *library, const struct cubin *cubins, int count)
{
    const char *const options[] = {"-arch=sm_90"};
    nvJitLinkHandle handle = NULL;
    size_t size = 0;
    bool failed = library->create(&handle, 1, options);
    for (int i = 0; i < count && !failed; i++)
        failed = library->add(handle, NVJITLINK_INPUT_CUBIN, cubins[i].data, cubins[i].size,
                              cubins[i].name);
    failed = failed || library->complete(handle) || library->size(handle, &size);
    void *output = failed ? NULL : malloc(size);
    if (!output || library->get(handle, output))
        fail("the link failed", cubins[0].name);
    free(output);
    library->destroy(&handle);
}

/* Returns the microseconds of one link. */
static double time_batch(const struct library *library, const struct cubin *cubins, int count,
                         int runs)
{
    for (int run = 0; run < NOT_TIMED; run++)
        link_once(library, cubins, count);
    double start = microseconds_now();
    for (int run = 0; run < runs; run++)
        link_once(library, cubins, count);
    return (microseconds_now() - start) / runs;
}

int main(int count, char **arguments)
{
    static struct library libraries[MOST_LIBRARIES];
    static struct cubin cubins[MOST_CUBINS];
    int loaded = 0, read = 0;
    if (count < 4)
        fail("usage", "nvjitlink_links RUNS LIBRARY,... CUBIN...");
    int runs = atoi(arguments[1]);
    for (char *path = strtok(arguments[2], ","); path && loaded < MOST_LIBRARIES;
         path = strtok(NULL, ","))
        load(&libraries[loaded++], path);
    for (; read + 3 < count && read < MOST_CUBINS; read++)
        read_cubin(&cubins[read], arguments[read + 3]);
    for (int batch = 0; batch < BATCHES; batch++)
        for (int i = 0; i < loaded; i++)
            libraries[i].batches[batch] = time_batch(&libraries[i], cubins, read, runs);
    for (int i = 0; i < loaded; i++)
        printf("%.3f\n", median_of(libraries[i].batches, BATCHES));
    return 0;
}
