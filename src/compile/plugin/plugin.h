/* The functions of the two NVIDIA libraries that can compile PTX: nvPTXCompiler and nvJitLink. */
#ifndef WARPLD_COMPILE_PLUGIN_PLUGIN_H
#define WARPLD_COMPILE_PLUGIN_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "compile/ptx_plugin.h"

/* Functions that both libraries have, for the results of a compilation. Each of them returns 0 on
 * success; their types are from NVIDIA's manuals. */
struct result_functions {
    int (*cubin_size)(void *handle, size_t *size);
    int (*cubin)(void *handle, void *cubin);
    int (*error_size)(void *handle, size_t *size);
    int (*error)(void *handle, char *text);
    int (*info_size)(void *handle, size_t *size);
    int (*info)(void *handle, char *text);
    int (*destroy)(void **handle);
};

struct nvptxcompiler_functions {
    int (*create)(void **handle, size_t size, const char *ptx);
    int (*compile)(void *handle, int count, const char *const *options);
};

struct nvjitlink_functions {
    int (*version)(unsigned *major, unsigned *minor);
    int (*create)(void **handle, unsigned count, const char **options);
    int (*add)(void *handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
};

struct ptx_plugin {
    /* ptx ends in a NUL after `size` bytes. */
    bool (*compile)(const struct ptx_plugin *plugin, const char *ptx, size_t size,
                    const char *const *arguments, struct plugin_output *output);
    struct result_functions results;
    struct nvptxcompiler_functions nvptxcompiler;
    struct nvjitlink_functions nvjitlink;
};

/* Each of these functions fills in the plug-in for one of the two libraries. `library` is a handle
 * of dlopen. Returns NULL, or why the library cannot be used, for example because it is the other
 * library. */
const char *nvptxcompiler_open(struct ptx_plugin *plugin, void *library);
const char *nvjitlink_open(struct ptx_plugin *plugin, void *library);

/* A function of a library; see plugin_find. */
struct plugin_function {
    const char *name;
    void *target; /* address of the function pointer to set */
};

/* Finds the functions. Returns false if the library lacks one. */
bool plugin_find(void *library, const struct plugin_function *functions, size_t count);

/* Copy the messages of a compilation, and its cubin if there is one, to the output. Each returns
 * false if memory has run out. */
bool plugin_take_messages(const struct result_functions *functions, void *handle,
                          struct plugin_output *output);
bool plugin_take_cubin(const struct result_functions *functions, void *handle,
                       struct plugin_output *output);

#endif
