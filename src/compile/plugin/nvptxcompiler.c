/* nvPTXCompiler, which NVIDIA ships as a static library; tools/make-ptx-plugin.sh makes a shared
 * one of it.
 *
 * Observed with 13.0.88: it takes the arguments of ptxas in ptxas's syntax, and writes the messages
 * of ptxas, with the source name "application ptx input", to its logs. Its cubins are those of
 * `ptxas -c`, except for the tool note, which names an undefined build. */
#include <stdbool.h>
#include <stddef.h>

#include "compile/plugin/plugin.h"
#include "compile/ptx_plugin.h"

static int count_of(const char *const *arguments)
{
    int count = 0;
    while (arguments[count])
        count++;
    return count;
}

static bool compile(const struct ptx_plugin *plugin, const char *ptx, size_t size,
                    const char *const *arguments, struct plugin_output *output)
{
    enum { OUT_OF_MEMORY = 5 }; /* NVPTXCOMPILE_ERROR_OUT_OF_MEMORY */
    const struct nvptxcompiler_functions *functions = &plugin->nvptxcompiler;
    const struct result_functions *results = &plugin->results;
    void *handle = NULL;
    int error = functions->create(&handle, size, ptx);
    if (error)
        return error != OUT_OF_MEMORY;
    error = functions->compile(handle, count_of(arguments), arguments);
    bool has_memory = error != OUT_OF_MEMORY && plugin_take_messages(results, handle, output) &&
                      (error || plugin_take_cubin(results, handle, output));
    results->destroy(&handle);
    return has_memory;
}

const char *nvptxcompiler_open(struct ptx_plugin *plugin, void *library)
{
    struct nvptxcompiler_functions *functions = &plugin->nvptxcompiler;
    struct result_functions *results = &plugin->results;
    const struct plugin_function wanted[] = {
        {"nvPTXCompilerCreate", &functions->create},
        {"nvPTXCompilerCompile", &functions->compile},
        {"nvPTXCompilerGetCompiledProgramSize", &results->cubin_size},
        {"nvPTXCompilerGetCompiledProgram", &results->cubin},
        {"nvPTXCompilerGetErrorLogSize", &results->error_size},
        {"nvPTXCompilerGetErrorLog", &results->error},
        {"nvPTXCompilerGetInfoLogSize", &results->info_size},
        {"nvPTXCompilerGetInfoLog", &results->info},
        {"nvPTXCompilerDestroy", &results->destroy},
    };
    plugin->compile = compile;
    return plugin_find(library, wanted, sizeof wanted / sizeof *wanted)
               ? NULL
               : "it lacks functions of nvPTXCompiler";
}
