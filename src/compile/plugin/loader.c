/* Loads compilers from shared libraries; see loader.h. */
#include "compile/plugin/loader.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/own_library.h"
#include "compile/plugin/plugin.h"

bool plugin_find(void *library, const struct plugin_function *functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address)
            return false;
        memcpy(functions[i].target, &address, sizeof address);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

bool plugin_take_cubin(const struct result_functions *functions, void *handle,
                       struct plugin_output *output)
{
    size_t size = 0;
    if (functions->cubin_size(handle, &size) || !size)
        return true;
    void *cubin = malloc(size);
    if (!cubin)
        return false;
    if (functions->cubin(handle, cubin)) {
        free(cubin);
        return true;
    }
    output->cubin = cubin;
    output->cubin_size = size;
    return true;
}

/* Appends a log to the messages. */
static bool append_log(void *handle, int (*size_of)(void *handle, size_t *size),
                       int (*get)(void *handle, char *text), struct plugin_output *output)
{
    size_t size = 0;
    if (size_of(handle, &size) || !size)
        return true;
    char *messages = realloc(output->messages, output->messages_size + size + 1);
    if (!messages)
        return false;
    char *end = messages + output->messages_size;
    memset(end, 0, size + 1);
    output->messages = messages;
    if (!get(handle, end))
        output->messages_size += strlen(end);
    return true;
}

/* Returns how many bytes to leave out at the start of a line, so that it looks as ptxas prints it.
 * ptxas indents a line that continues a message; the libraries begin it with CONTINUATION.
 * nvJitLink adds a line that begins with ERROR, which is left out whole (observed with 13.0.88). */
static size_t left_out_at_start(const char *line, size_t size)
{
    static const char CONTINUATION[] = "ptxas         .     ", OF_LINKER[] = "ERROR ";
    enum { INDENT = 4 };
    if (!strncmp(line, CONTINUATION, sizeof CONTINUATION - 1))
        return sizeof CONTINUATION - 1 - INDENT;
    return strncmp(line, OF_LINKER, sizeof OF_LINKER - 1) ? 0 : size;
}

/* Rewrites the messages in place as ptxas prints them. */
static void settle_lines(struct plugin_output *output)
{
    const char *from = output->messages;
    char *to = output->messages;
    if (!from)
        return;
    while (*from) {
        const char *newline = strchr(from, '\n');
        size_t size = newline ? (size_t)(newline - from) + 1 : strlen(from);
        size_t left_out = left_out_at_start(from, size);
        memmove(to, from + left_out, size - left_out);
        to += size - left_out;
        from += size;
    }
    *to = 0;
    output->messages_size = (size_t)(to - output->messages);
}

/* Takes the info log before the error log, because ptxas prints warnings before errors. */
bool plugin_take_messages(const struct result_functions *functions, void *handle,
                          struct plugin_output *output)
{
    bool has_memory = append_log(handle, functions->info_size, functions->info, output) &&
                      append_log(handle, functions->error_size, functions->error, output);
    settle_lines(output);
    return has_memory;
}

/* --------------------------------------------------------------------------------------------- */
/* The loader                                                                                    */

/* warpld has a library with nvJitLink's functions, too. That library would compile PTX by calling
 * this code again. */
static const char IS_OWN[] = "it is a library of warpld, which has no compiler";

static const char *open_any(struct ptx_plugin *plugin, void *library)
{
    if (dlsym(library, "nvPTXCompilerCreate"))
        return nvptxcompiler_open(plugin, library);
    if (dlsym(library, "nvJitLinkCreate"))
        return nvjitlink_open(plugin, library);
    return "it has neither the functions of nvPTXCompiler nor those of nvJitLink";
}

/* RTLD_LOCAL keeps the names of the library from replacing those of the program. The path has a
 * slash, so dlopen opens this very file. Without a slash dlopen would search for it, and could find
 * warpld's library, which is called libnvJitLink.so, too. */
static struct ptx_plugin *open_library(const char *path, char *problem, size_t problem_size)
{
    bool is_own = library_kind(path) == OWN_LIBRARY;
    struct ptx_plugin *plugin = is_own ? NULL : calloc(1, sizeof *plugin);
    void *library = plugin ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    const char *reason = is_own ? IS_OWN : plugin ? NULL : "out of memory";
    if (!reason && !library)
        reason = dlerror();
    else if (library)
        reason = open_any(plugin, library);
    if (!reason)
        return plugin;
    snprintf(problem, problem_size, "%s", reason);
    if (library)
        dlclose(library);
    free(plugin);
    return NULL;
}

/* Compiles a copy of the text that ends in a NUL, because the libraries expect a NUL. */
static bool compile(const struct ptx_plugin *plugin, const char *ptx, size_t ptx_size,
                    const char *const *arguments, struct plugin_output *output)
{
    char *copy = malloc(ptx_size + 1);
    if (!copy)
        return false;
    memcpy(copy, ptx, ptx_size);
    copy[ptx_size] = 0;
    bool has_memory = plugin->compile(plugin, copy, ptx_size, arguments, output);
    free(copy);
    return has_memory;
}

static void close_library(struct ptx_plugin *plugin)
{
    free(plugin);
}

const struct ptx_plugin_loader *ptx_plugin_loader(void)
{
    static const struct ptx_plugin_loader LOADER = {open_library, compile, close_library};
    return &LOADER;
}
