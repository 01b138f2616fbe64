/* Compilers in shared libraries of NVIDIA, which are found on the user's machine and never shipped.
 *
 * Only a program that is linked dynamically can load one: it sets ptx_compiler_settings.loader to
 * ptx_plugin_loader() (compile/plugin/loader.h). Other programs run warpld-ptx-helper, which loads
 * the compiler for them. The code of src/compile outside of plugin/ uses this header only, so it
 * needs no dlopen. */
#ifndef WARPLD_COMPILE_PTX_PLUGIN_H
#define WARPLD_COMPILE_PTX_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ptx_plugin;

/* The result of a plug-in that compiled a text. The pointers are from malloc. */
struct plugin_output {
    void *cubin; /* NULL if compilation failed */
    size_t cubin_size;
    char *messages; /* of the compiler, as ptxas prints them; NULL: none */
    size_t messages_size;
};

struct ptx_plugin_loader {
    /* Opens a library that has the functions of nvPTXCompiler or of nvJitLink. Returns NULL if it
     * cannot be used and stores the reason in `problem`. The library is never unloaded, because its
     * threads may still run. */
    struct ptx_plugin *(*open)(const char *path, char *problem, size_t problem_size);

    /* Compiles a text with arguments of ptxas, which begin as PTX_FIXED_ARGUMENTS describes and end
     * with NULL. May be called by several threads at once. Returns false if memory has run out. */
    bool (*compile)(const struct ptx_plugin *plugin, const char *ptx, size_t ptx_size,
                    const char *const *arguments, struct plugin_output *output);

    void (*close)(struct ptx_plugin *plugin);
};

/* The arguments of a text begin with "-arch NAME -m 64 -c", those of a whole program with "-arch
 * NAME -m 64". PTX_FIXED_ARGUMENTS is their number including -c, and
 * PTX_ARCHITECTURE_ARGUMENT the index of NAME. */
enum { PTX_FIXED_ARGUMENTS = 5, PTX_ARCHITECTURE_ARGUMENT = 1 };
#define PTX_FOR_LINKING "-c"
static inline bool ptx_is_for_linking(const char *const *arguments)
{
    const char *last = arguments[PTX_FIXED_ARGUMENTS - 1];
    return last && !strcmp(last, PTX_FOR_LINKING);
}

#endif
