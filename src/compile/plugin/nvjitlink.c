/* NVIDIA's own nvJitLink as a compiler: a relocatable link of nothing but the PTX.
 *
 * Observed with 13.0.88: -Xptxas passes an argument to the compiler as it is. The cubin is that of
 * `ptxas -c` after a relocatable link: the symbols __UDT* and __UFT* are global, not weak, and
 * empty relocation sections are missing. The log has ptxas's messages and, after an error, a
 * line of the linker that begins with ERROR. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/plugin/plugin.h"
#include "compile/ptx_plugin.h"

enum { INPUT_PTX = 2 }; /* NVJITLINK_INPUT_PTX */

static void free_options(char **options, size_t count)
{
    for (size_t i = 0; options && i < count; i++)
        free(options[i]);
    free(options);
}

static char *join(const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", first, second);
    return text;
}

/* Translates the arguments of ptxas. Returns NULL if memory has run out. */
static char **options_of(const char *const *arguments, size_t *count)
{
    bool is_for_linking = ptx_is_for_linking(arguments);
    size_t first = is_for_linking ? PTX_FIXED_ARGUMENTS : PTX_FIXED_ARGUMENTS - 1, given = first;
    while (arguments[given])
        given++;
    *count = 2 + given - first;
    char **options = calloc(*count, sizeof *options);
    if (!options)
        return NULL;
    options[0] = join("-arch=", arguments[PTX_ARCHITECTURE_ARGUMENT]);
    options[1] = join(is_for_linking ? "-r" : "-O3", ""); /* -O3 is the default */
    bool has_memory = options[0] && options[1];
    for (size_t i = 2; i < *count; i++) {
        options[i] = join("-Xptxas=", arguments[first + i - 2]);
        has_memory &= options[i] != NULL;
    }
    if (has_memory)
        return options;
    free_options(options, *count);
    return NULL;
}

static bool link_text(const struct ptx_plugin *plugin, void *handle, const char *ptx, size_t size,
                      struct plugin_output *output)
{
    const struct nvjitlink_functions *functions = &plugin->nvjitlink;
    bool failed = functions->add(handle, INPUT_PTX, ptx, size + 1, "application ptx input") ||
                  functions->complete(handle);
    return failed || plugin_take_cubin(&plugin->results, handle, output);
}

/* nvJitLink sets the handle and has a log even if it refuses an option, so the messages are also
 * read after such a refusal. */
static bool compile(const struct ptx_plugin *plugin, const char *ptx, size_t size,
                    const char *const *arguments, struct plugin_output *output)
{
    size_t count;
    void *handle = NULL;
    char **options = options_of(arguments, &count);
    if (!options)
        return false;
    int error = plugin->nvjitlink.create(&handle, (unsigned)count, (const char **)options);
    bool has_memory = error || link_text(plugin, handle, ptx, size, output);
    if (handle) {
        has_memory &= plugin_take_messages(&plugin->results, handle, output);
        plugin->results.destroy(&handle);
    }
    free_options(options, count);
    return has_memory;
}

const char *nvjitlink_open(struct ptx_plugin *plugin, void *library)
{
    struct nvjitlink_functions *functions = &plugin->nvjitlink;
    struct result_functions *results = &plugin->results;
    const struct plugin_function wanted[] = {
        {"nvJitLinkVersion", &functions->version},
        {"nvJitLinkCreate", &functions->create},
        {"nvJitLinkAddData", &functions->add},
        {"nvJitLinkComplete", &functions->complete},
        {"nvJitLinkGetLinkedCubinSize", &results->cubin_size},
        {"nvJitLinkGetLinkedCubin", &results->cubin},
        {"nvJitLinkGetErrorLogSize", &results->error_size},
        {"nvJitLinkGetErrorLog", &results->error},
        {"nvJitLinkGetInfoLogSize", &results->info_size},
        {"nvJitLinkGetInfoLog", &results->info},
        {"nvJitLinkDestroy", &results->destroy},
    };
    unsigned major = 0, minor = 0;
    plugin->compile = compile;
    if (!plugin_find(library, wanted, sizeof wanted / sizeof *wanted))
        return "it lacks functions of nvJitLink 13";
    if (functions->version(&major, &minor) || major < 13)
        return "it is not nvJitLink of CUDA 13 or later, which relocatable links need";
    return NULL;
}
