/* Links of LTO-IR with other inputs; see partial.h. */
#include "nvjitlink/partial.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "compile/find_optimiser.h"
#include "compile/optimiser.h"
#include "compile/optimiser_options.h"
#include "compile/plugin/optimise.h"
#include "nvjitlink/inputs.h"
#include "nvjitlink/linking.h"
#include "nvjitlink/log.h"
#include "nvjitlink/nvidia_search.h"
#include "nvjitlink/options.h"

/* --------------------------------------------------------------------------------------------- */
/* Inputs                                                                                        */

void partial_keep(struct jit_link *link, const void *data, size_t size, const char *name)
{
    struct warpld_examined examined = {.size = sizeof examined};
    struct jit_input *input = NULL;
    if (!link->options.target.is_known || !linking_start(link) ||
        warpld_examine(link->link, data, size, &examined) != WARPLD_OK || examined.problem ||
        !(input = jit_input_copy(link, data, size, name ? name : "(null)"))) {
        link->lacks_input = true;
        return;
    }
    input->is_index = examined.content == WARPLD_CONTENT_UNIFIED_INDEX;
    link->inputs_count++;
    link->has_lto_input |= examined.has_lto_ir;
    link->has_plain_input |= !examined.has_lto_ir && (examined.has_code || examined.has_ptx);
}

/* --------------------------------------------------------------------------------------------- */
/* The optimiser                                                                                 */

/* Finds libnvvm. Toolkits and Python packages have it in the folder nvvm next to the folder of
 * nvJitLink. If libnvvm is not there, the toolkits and environments that the environment variables
 * name are searched. */
static const char *find_nvvm(struct arena *arena, const char *nvjitlink)
{
    const char *slash = strrchr(nvjitlink, '/');
    const char *folder =
        arena_format(arena, "%.*s", (int)(slash ? slash - nvjitlink : 0), nvjitlink);
    struct optimiser_settings settings = {
        .nvvm_folder = arena_format(arena, "%s/../nvvm", folder),
        .library_path = folder,
        .toolkits = {getenv("CUDA_HOME"), getenv("CUDA_PATH")},
        .environments = {getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")},
    };
    return find_optimiser(arena, &settings, OPTIMISER_NVVM);
}

/* Returns true if an option is not passed to the optimiser. Some options have their value in the
 * request already, some are for the compiler of PTX, and some choose an output. */
static bool is_left_out(const char *option)
{
    static const char *const PREFIXES[] = {"-arch",
                                           "-lto",
                                           "-dlto",
                                           "-ptx",
                                           "-g",
                                           "-time",
                                           "-verbose",
                                           "-kernels-used",
                                           "-variables-used",
                                           "-optimize-unused-variables",
                                           "-Xptxas=",
                                           "-no-cache"};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (!strncmp(option, PREFIXES[i], strlen(PREFIXES[i])))
            return true;
    return false;
}

static void optimise(struct jit_link *link, struct arena *arena, const char *nvjitlink,
                     const struct warpld_optimise_request *request,
                     struct warpld_optimise_result *result)
{
    struct optimiser_options options;
    struct optimiser_output output;
    optimiser_options_init(&options, arena, request);
    for (uint32_t i = 0; i < link->options.count; i++)
        if (!is_left_out(link->options.arguments[i]))
            optimiser_options_add(&options, arena, "%s", link->options.arguments[i]);
    struct optimiser_job job = {
        .nvjitlink = nvjitlink,
        .nvvm = find_nvvm(arena, nvjitlink),
        .nvvm_target = optimiser_nvvm_target(arena, request->architecture),
        .options = options.texts,
        .options_count = options.texts_count,
        .inputs = request->inputs,
        .inputs_count = request->inputs_count,
        .kept = request->kept,
        .kept_count = request->kept_count,
        .is_part = request->is_part,
    };
    if (!optimise_in_process(&job, &output))
        arena_give_up(arena);
    if (output.messages)
        jit_log_print(output.code ? &link->infos : &link->errors, "%s", output.messages);
    free(output.messages);
    result->ptx = output.code;
    result->ptx_size = output.code_size;
}

void partial_optimise(void *context, const struct warpld_optimise_request *request,
                      struct warpld_optimise_result *result)
{
    struct jit_link *link = context;
    struct arena arena;
    jmp_buf out_of_memory;
    char *nvjitlink = nvidia_search(NULL);
    arena_init(&arena, arena_jump, &out_of_memory);
    if (!setjmp(out_of_memory) && nvjitlink)
        optimise(link, &arena, nvjitlink, request, result);
    else
        result->problem = "Out of memory";
    arena_destroy(&arena);
    free(nvjitlink);
}

void partial_release(void *context, struct warpld_optimise_result *result)
{
    (void)context;
    free((void *)result->ptx);
    result->ptx = NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* When libwarpld does the link                                                                  */

static bool has_nvvm(void)
{
    struct arena arena;
    jmp_buf out_of_memory;
    char *nvjitlink = nvidia_search(NULL);
    volatile bool is_found = false;
    arena_init(&arena, arena_jump, &out_of_memory);
    if (!setjmp(out_of_memory))
        is_found = nvjitlink && find_nvvm(&arena, nvjitlink);
    arena_destroy(&arena);
    free(nvjitlink);
    return is_found;
}

bool partial_is_needed(struct jit_link *link)
{
    const bool *given = link->options.given;
    return link->has_lto_input && link->has_plain_input && !link->lacks_input &&
           !link->is_complete && !given[JIT_OPTION_PTX] && !given[JIT_OPTION_RELOCATABLE] &&
           has_nvvm();
}
