/* Times small links through libnvJitLink's interface: makes a handle, adds files, links, fetches
 * the output, destroys the handle.
 *
 *     nvjitlink_links RUNS LIBRARY,... FILE...
 *
 * The files are cubins, or LTO-IR if the name of the first one ends in .ltoir. The libraries take
 * turns, so that other load on the machine affects all of them. The first links of a batch are not
 * timed, because the library of the previous batch has filled the CPU's caches: after NVIDIA's
 * library, our first link takes 130 microseconds, the fourth 16 and the hundredth 15. The program
 * prints the microseconds of one link for each library, the median of its batches. It loads each
 * library by its path and never unloads it. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "warpld_nvjitlink.h"

enum { MOST_LIBRARIES = 4, MOST_FILES = 16, BATCHES = 21, NOT_TIMED = 4 };

struct library {
    __typeof__(nvJitLinkCreate) *create;
    __typeof__(nvJitLinkAddData) *add;
    __typeof__(nvJitLinkComplete) *complete;
    __typeof__(nvJitLinkGetLinkedCubinSize) *size;
    __typeof__(nvJitLinkGetLinkedCubin) *get;
    __typeof__(nvJitLinkDestroy) *destroy;
    double batches[BATCHES]; /* microseconds of one link */
};

struct input_file {
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

static void read_input(struct input_file *file, const char *path)
{
    file->name = path;
    if (!read_whole_file(path, &file->data, &file->size))
        fail("cannot read", path);
}

static bool is_lto_ir(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".ltoir");
}

static void link_once(const struct library *library, const struct input_file *files, int count)
{
    static const char *const OPTIONS[] = {"-arch=sm_90", "-lto"};
    bool has_ir = is_lto_ir(files[0].name);
    nvJitLinkInputType type = has_ir ? NVJITLINK_INPUT_LTOIR : NVJITLINK_INPUT_CUBIN;
    nvJitLinkHandle handle = NULL;
    size_t size = 0;
    bool failed = library->create(&handle, has_ir ? 2 : 1, OPTIONS);
    for (int i = 0; i < count && !failed; i++)
        failed = library->add(handle, type, files[i].data, files[i].size, files[i].name);
    failed = failed || library->complete(handle) || library->size(handle, &size);
    void *output = failed ? NULL : malloc(size);
    if (!output || library->get(handle, output))
        fail("the link failed", files[0].name);
    free(output);
    library->destroy(&handle);
}

/* Returns the microseconds of one link. */
static double time_batch(const struct library *library, const struct input_file *files, int count,
                         int runs)
{
    for (int run = 0; run < NOT_TIMED; run++)
        link_once(library, files, count);
    double start = microseconds_now();
    for (int run = 0; run < runs; run++)
        link_once(library, files, count);
    return (microseconds_now() - start) / runs;
}

int main(int count, char **arguments)
{
    static struct library libraries[MOST_LIBRARIES];
    static struct input_file files[MOST_FILES];
    int loaded = 0, read = 0;
    if (count < 4)
        fail("usage", "nvjitlink_links RUNS LIBRARY,... FILE...");
    int runs = atoi(arguments[1]);
    for (char *path = strtok(arguments[2], ","); path && loaded < MOST_LIBRARIES;
         path = strtok(NULL, ","))
        load(&libraries[loaded++], path);
    for (; read + 3 < count && read < MOST_FILES; read++)
        read_input(&files[read], arguments[read + 3]);
    for (int batch = 0; batch < BATCHES; batch++)
        for (int i = 0; i < loaded; i++)
            libraries[i].batches[batch] = time_batch(&libraries[i], files, read, runs);
    for (int i = 0; i < loaded; i++)
        printf("%.3f\n", median_of(libraries[i].batches, BATCHES));
    return 0;
}
