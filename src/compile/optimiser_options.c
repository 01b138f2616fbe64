/* The options of nvJitLink; see optimiser_options.h. */
#include "compile/optimiser_options.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void optimiser_options_add(struct optimiser_options *options, struct arena *arena,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, (size_t)size + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    *ARENA_APPEND(arena, options, texts) = text;
}

void optimiser_options_init(struct optimiser_options *options, struct arena *arena,
                            const struct warpld_optimise_request *request)
{
    *options = (struct optimiser_options){.texts = NULL};
    optimiser_options_add(options, arena, "-arch=%s", request->architecture);
    optimiser_options_add(options, arena, "-lto");
    optimiser_options_add(options, arena, request->keep_all ? "-r" : "-ptx");
    if (request->debug)
        optimiser_options_add(options, arena, "-g");
    if (request->max_registers)
        optimiser_options_add(options, arena, "-maxrregcount=%u", request->max_registers);
    for (size_t i = 0; i < request->kernels_used_count; i++)
        optimiser_options_add(options, arena, "-kernels-used=%s", request->kernels_used[i]);
    for (size_t i = 0; i < request->variables_used_count; i++)
        optimiser_options_add(options, arena, "-variables-used=%s", request->variables_used[i]);
    if (request->remove_unused_variables)
        optimiser_options_add(options, arena, "-optimize-unused-variables");
}

const char *optimiser_nvvm_target(struct arena *arena, const char *architecture)
{
    const char *number = strchr(architecture, '_');
    return arena_format(arena, "compute%s", number ? number : "");
}

/* --------------------------------------------------------------------------------------------- */
/* Releases                                                                                      */

/* The release whose compiler wrote an input; NULL if it is not known. */
static const char *release_of(const struct warpld_intermediate *input)
{
    static const struct {
        unsigned version, minor;
        const char *release;
    } RELEASES[] = {
#define LTO_RELEASE(version, minor, release) {version, minor, release},
#include "compile/lto_releases.def"
#undef LTO_RELEASE
    };
    for (size_t i = 0; i < sizeof RELEASES / sizeof *RELEASES; i++)
        if (RELEASES[i].version == input->version && RELEASES[i].minor == input->minor)
            return RELEASES[i].release;
    return NULL;
}

static bool is_newer(const struct warpld_intermediate *input,
                     const struct warpld_intermediate *other)
{
    return input->version != other->version ? input->version > other->version
                                            : input->minor > other->minor;
}

/* The input of the newest release. */
static const struct warpld_intermediate *newest_input(const struct optimiser_job *job)
{
    const struct warpld_intermediate *newest = NULL;
    for (size_t i = 0; i < job->inputs_count; i++)
        if (!newest || is_newer(&job->inputs[i], newest))
            newest = &job->inputs[i];
    return newest;
}

/* nvJitLink 12.9 logs the text NEWER for LTO-IR of CUDA 13.0. nvJitLink 13.0 logs it for the module
 * with the kept names if libnvvm of CUDA 13.5 made that module. */
const char *optimiser_remedy(struct arena *arena, const struct optimiser_job *job,
                             const char *messages)
{
    static const char NEWER[] = "may need newer version of nvJitLink library";
    const struct warpld_intermediate *newest = newest_input(job);
    if (!messages || !strstr(messages, NEWER) || !newest)
        return NULL;
    if (strstr(messages, OPTIMISER_KEPT_REFUSED))
        return arena_format(arena,
                            "'%s' is newer than '%s'; name libraries of one release with -nvvmpath "
                            "and --nvjitlink-path",
                            job->nvvm, job->nvjitlink);
    const char *release = release_of(newest);
    if (!release)
        return arena_format(arena,
                            "the LTO-IR of '%s' is newer than '%s'; name a newer libnvJitLink with "
                            "--nvjitlink-path",
                            newest->name, job->nvjitlink);
    return arena_format(
        arena,
        "the LTO-IR of '%s' is of CUDA %s and newer than '%s'; name libnvJitLink of "
        "CUDA %s or later with --nvjitlink-path",
        newest->name, release, job->nvjitlink, release);
}
