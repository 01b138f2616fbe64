/* The program warpld-ptx-helper: compiles one PTX text, or optimises LTO-IR, with NVIDIA's
 * libraries. Statically linked programs start it, because they cannot load libraries themselves.
 *
 *     warpld-ptx-helper LIBRARY -arch NAME -m 64 -c [OPTIONS] SOURCE
 *     warpld-ptx-helper LIBRARY -arch NAME -m 64 -c [OPTIONS] --input-as-string TEXT
 *     warpld-ptx-helper LIBRARY
 *     warpld-ptx-helper --optimise
 *
 * The first two forms behave as ptxas does: they write the cubin to the file elf.o, and messages to
 * standard error. The third form prints why the library cannot be used; it prints nothing if the
 * library can be used. The last form answers a request for link-time optimisation, which
 * compile/optimiser_process.h describes. A crash in the library ends only this program, not the
 * linker. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "compile/plugin/loader.h"
#include "compile/plugin/plugin.h"
#include "compile/ptx_plugin.h"
#include "ptx_helper/optimise_request.h"

static const char OUTPUT[] = "elf.o";

static int fail(const char *about, const char *reason)
{
    fprintf(stderr, "ptxas fatal   : Cannot use '%s': %s\n", about, reason);
    return EXIT_FAILURE;
}

/* Compiles the text with the plug-in; writes the cubin and the messages. */
static int compile(const struct ptx_plugin *plugin, struct bytes text, char **arguments)
{
    struct plugin_output output = {.cubin = NULL};
    bool has_memory =
        ptx_plugin_loader()->compile(plugin, (const char *)text.data, (size_t)text.size,
                                     (const char *const *)arguments, &output);
    struct bytes cubin = {output.cubin, output.cubin_size};
    int error = output.cubin ? file_replace(OUTPUT, cubin) : 0;
    if (output.messages)
        fwrite(output.messages, 1, output.messages_size, stderr);
    bool succeeded = has_memory && output.cubin && !error;
    free(output.cubin);
    free(output.messages);
    if (!has_memory)
        return fail("the PTX", "out of memory");
    if (error)
        return fail(OUTPUT, strerror(error));
    return succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Compiles a PTX text: the last of the `count` arguments is its path, or the text itself after
 * --input-as-string. The other arguments are options. */
static int compile_last(const struct ptx_plugin *plugin, char **arguments, int count)
{
    char *source = arguments[count - 1];
    bool is_text = !strcmp(arguments[count - 2], "--input-as-string");
    arguments[is_text ? count - 2 : count - 1] = NULL;
    struct mapped_file file = {.mapping = NULL};
    int error = is_text ? 0 : file_map(&file, source);
    if (error)
        return fail(source, strerror(error));
    struct bytes text =
        is_text ? (struct bytes){(const uint8_t *)source, strlen(source)} : file.bytes;
    int status = compile(plugin, text, arguments);
    if (!is_text)
        file_unmap(&file);
    return status;
}

int main(int argc, char **argv)
{
    char problem[512] = "";
    if (argc == 2 && !strcmp(argv[1], "--optimise"))
        return optimise_request();
    if (argc != 2 && argc < 2 + PTX_FIXED_ARGUMENTS) {
        fputs("Usage: warpld-ptx-helper LIBRARY -arch NAME -m 64 -c [OPTIONS] SOURCE\n", stderr);
        return EXIT_FAILURE;
    }
    struct ptx_plugin *plugin = ptx_plugin_loader()->open(argv[1], problem, sizeof problem);
    if (argc == 2 && !plugin)
        puts(problem);
    if (!plugin)
        return argc == 2 ? EXIT_SUCCESS : fail(argv[1], problem);
    int status = argc == 2 ? EXIT_SUCCESS : compile_last(plugin, argv + 2, argc - 2);
    ptx_plugin_loader()->close(plugin);
    return status;
}
