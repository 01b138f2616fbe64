/* Links the inputs; see linking.h. */
#include "nvjitlink/linking.h"

#include <string.h>

#include "nvjitlink/calls.h"
#include "nvjitlink/log.h"
#include "nvjitlink/nvidia.h"
#include "nvjitlink/options.h"
#include "nvjitlink/partial.h"
#include "nvjitlink/ptx.h"
#include "nvjitlink/release.h"
#include "warpld.h"
#include "warpld_nvjitlink.h"

/* Writes errors to the error log, and warnings and information to the info log. Notes, which
 * NVIDIA's libraries do not have, are left out. */
static void take_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    static const char *const PREFIXES[] = {"",
                                           "info    : ", "warning : ", "error   : ", "fatal   : "};
    struct jit_link *link = context;
    enum warpld_severity severity = diagnostic->severity;
    if (!strcmp(diagnostic->code, "input-abi-newer") ||
        !strcmp(diagnostic->code, "input-abi-mixed"))
        link->needs_abi_8 = true;
    link->has_fatal_error |= severity == WARPLD_FATAL;
    if (severity != WARPLD_NOTE)
        jit_log_print(severity < WARPLD_ERROR ? &link->infos : &link->errors, "%s%s\n",
                      PREFIXES[severity], diagnostic->text);
}

/* Returns the ABI version that libwarpld must write, or 0 to let libwarpld choose.
 * libnvJitLink.so.12 asks for the version of CUDA 12 if the target and the inputs permit it. */
static unsigned output_abi(const struct jit_link *link)
{
    const char *architecture = link->options.target.architecture;
    bool is_newer = strlen(architecture) > strlen("sm_90a") || !strncmp(architecture, "sm_1", 4);
    return link->needs_abi_8 || is_newer ? 0 : jit_release.output_abi;
}

static struct warpld_options warpld_options_of(struct jit_link *link)
{
    const struct jit_options *options = &link->options;
    struct warpld_options result = WARPLD_OPTIONS_INIT;
    result.architecture = options->target.architecture;
    result.diagnostic = take_diagnostic;
    result.diagnostic_context = link;
    result.debug = options->given[JIT_OPTION_DEBUG];
    result.verbose = options->given[JIT_OPTION_VERBOSE];
    result.relocatable = options->given[JIT_OPTION_RELOCATABLE];
    result.kernels_used = options->kernels_used.values;
    result.kernels_used_count = options->kernels_used.count;
    result.variables_used = options->variables_used.values;
    result.variables_used_count = options->variables_used.count;
    result.compile = ptx_take_compiled;
    result.compile_context = link;
    result.as_nvlink = true;
    result.allow_empty = true;
    result.allow_newer_toolkit = true;
    result.output_undefined = true;
    result.output_abi = output_abi(link);
    result.unified_index = link->index;
    result.unified_index_size = link->index_size;
    return result;
}

bool linking_start(struct jit_link *link)
{
    if (link->link)
        return true;
    struct warpld_options options = warpld_options_of(link);
    return warpld_create(&options, &link->link) == WARPLD_OK;
}

struct warpld_link *linking_create_silent(struct jit_link *link)
{
    struct warpld_options options = warpld_options_of(link);
    struct warpld_link *silent;
    options.diagnostic = NULL;
    options.relocatable = true;
    options.output_abi = 0;
    options.compile = ptx_compile_and_keep;
    options.report_compiled = ptx_report_kept;
    options.release_compiled = ptx_release_kept;
    return warpld_create(&options, &silent) == WARPLD_OK ? silent : NULL;
}

void linking_report_time(struct jit_link *link, const char *label)
{
    if (!link->options.given[JIT_OPTION_TIME])
        return;
    struct timespec now, last = link->last_time;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double milliseconds =
        (double)(now.tv_sec - last.tv_sec) * 1e3 + (double)(now.tv_nsec - last.tv_nsec) * 1e-6;
    jit_log_print(&link->infos, "%s: %f\n", label, milliseconds);
    link->last_time = now;
}

static bool add_inputs(struct jit_link *link)
{
    for (size_t i = 0; i < link->inputs_count; i++) {
        const struct jit_input *input = &link->inputs[i];
        if (!input->is_index &&
            warpld_add_memory(link->link, input->name, input->data, input->size) != WARPLD_OK)
            return false;
    }
    return true;
}

/* Creates the link of libwarpld once more and adds all inputs again, because options are fixed when
 * a link is created. */
static bool restart(struct jit_link *link)
{
    warpld_destroy(link->link);
    link->link = NULL;
    return linking_start(link) && add_inputs(link);
}

/* Runs the link. libnvJitLink.so.12 first asks for an output of CUDA 12. If that fails because an
 * input is an object of CUDA 13, it links again for an output of CUDA 13, and drops the messages of
 * the first link. */
static enum warpld_status run(struct jit_link *link)
{
    size_t errors = link->errors.size, infos = link->infos.size;
    enum warpld_status status = warpld_run(link->link);
    if (!link->needs_abi_8)
        return status;
    link->has_fatal_error = false;
    jit_log_cut(&link->errors, errors);
    jit_log_cut(&link->infos, infos);
    return restart(link) ? warpld_run(link->link) : WARPLD_ERROR_MEMORY;
}

static nvJitLinkResult finish(struct jit_link *link, enum warpld_status status)
{
    const void *output;
    size_t size;
    link->has_output = warpld_output(link->link, &output, &size) == WARPLD_OK;
    linking_report_time(link, "nvJitLinkComplete time to finish");
    if (status == WARPLD_OK && link->has_output)
        return NVJITLINK_SUCCESS;
    /* NVIDIA's libraries report PTX that does not compile with the number of fatal errors. */
    bool is_fatal = link->has_fatal_error || link->has_refused_text;
    jit_log_print(&link->errors, "ERROR %d: %s\n", is_fatal ? 1 : 9, jit_release.end_of_errors);
    return NVJITLINK_ERROR_INTERNAL;
}

/* Fails a link with -lto if NVIDIA's library is not installed. If an input had LTO-IR, this was
 * reported when the input was added. Otherwise the error is that no input has LTO-IR. */
static nvJitLinkResult fail_lto(struct jit_link *link)
{
    if (!link->lacks_lto)
        jit_log_print(&link->errors, "%s", jit_release.no_lto_ir);
    return NVJITLINK_ERROR_NVVM_COMPILE;
}

static struct warpld_link *create_partial(struct jit_link *link)
{
    struct warpld_options options = warpld_options_of(link);
    struct warpld_link *partial;
    options.compile = ptx_compile_and_keep;
    options.report_compiled = ptx_report_kept;
    options.release_compiled = ptx_release_kept;
    options.optimise = partial_optimise;
    options.release_optimised = partial_release;
    options.optimise_context = link;
    options.own_register_limit = link->options.given[JIT_OPTION_MAX_REGISTERS];
    return warpld_create(&options, &partial) == WARPLD_OK ? partial : NULL;
}

/* Lets libwarpld, not NVIDIA's library, complete a link of LTO-IR with other inputs (partial.h). */
static nvJitLinkResult complete_partial(struct jit_link *link)
{
    struct warpld_link *partial = create_partial(link);
    if (!partial)
        return NVJITLINK_ERROR_INTERNAL;
    warpld_destroy(link->link);
    link->link = partial;
    nvidia_end(link);
    link->nvidia = NULL;
    link->is_complete = true;
    linking_report_time(link, "nvJitLink time until Complete");
    if (!add_inputs(link))
        return NVJITLINK_ERROR_INTERNAL;
    return finish(link, ptx_run(link, partial));
}

nvJitLinkResult jit_complete(nvJitLinkHandle handle)
{
    struct jit_link *link = jit_link_of(handle);
    if (!link)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (link->refusal != NVJITLINK_SUCCESS)
        return link->refusal;
    if (link->nvidia)
        return partial_is_needed(link) ? complete_partial(link) : nvidia_complete(link);
    if (link->is_complete)
        return NVJITLINK_ERROR_INTERNAL;
    link->is_complete = true;
    linking_report_time(link, "nvJitLink time until Complete");
    if (jit_options_want_lto(&link->options))
        return fail_lto(link);
    bool is_ready = link->index ? restart(link) : linking_start(link);
    return is_ready ? finish(link, run(link)) : NVJITLINK_ERROR_INTERNAL;
}
