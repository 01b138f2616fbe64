/* The functions that hand out results: the output and the logs. */
#include <string.h>

#include "nvjitlink/calls.h"
#include "nvjitlink/handle.h"
#include "nvjitlink/log.h"
#include "nvjitlink/nvidia.h"
#include "nvjitlink/options.h"
#include "warpld.h"
#include "warpld_nvjitlink.h"

/* --------------------------------------------------------------------------------------------- */
/* Logs                                                                                          */

static nvJitLinkResult log_size(const struct jit_log *log, size_t *size)
{
    *size = log->size ? log->size + 1 : 0;
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult copy_log(const struct jit_log *log, char *text)
{
    if (log->size)
        memcpy(text, log->text, log->size + 1);
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult jit_get_error_log_size(nvJitLinkHandle handle, size_t *size)
{
    const struct jit_link *link = jit_link_of(handle);
    return link && size ? log_size(&link->errors, size) : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult jit_get_error_log(nvJitLinkHandle handle, char *log)
{
    const struct jit_link *link = jit_link_of(handle);
    return link && log ? copy_log(&link->errors, log) : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult jit_get_info_log_size(nvJitLinkHandle handle, size_t *size)
{
    const struct jit_link *link = jit_link_of(handle);
    return link && size ? log_size(&link->infos, size) : NVJITLINK_ERROR_NULL_INPUT;
}

nvJitLinkResult jit_get_info_log(nvJitLinkHandle handle, char *log)
{
    const struct jit_link *link = jit_link_of(handle);
    return link && log ? copy_log(&link->infos, log) : NVJITLINK_ERROR_NULL_INPUT;
}

/* --------------------------------------------------------------------------------------------- */
/* Outputs                                                                                       */

/* Finds the cubin. Requires: libwarpld has done the link, not NVIDIA's library. */
static nvJitLinkResult find_cubin(const struct jit_link *link, const void **data, size_t *size)
{
    if (!link->has_output || warpld_output(link->link, data, size) != WARPLD_OK)
        return NVJITLINK_ERROR_INTERNAL;
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult jit_get_cubin_size(nvJitLinkHandle handle, size_t *size)
{
    const struct jit_link *link = jit_link_of(handle);
    const void *data;
    size_t found;
    if (!link || !size)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (link->nvidia)
        return nvidia_get(link, NVIDIA_CUBIN_SIZE, size);
    nvJitLinkResult result = find_cubin(link, &data, &found);
    if (result == NVJITLINK_SUCCESS)
        *size = found;
    return result;
}

nvJitLinkResult jit_get_cubin(nvJitLinkHandle handle, void *cubin)
{
    const struct jit_link *link = jit_link_of(handle);
    const void *data;
    size_t size;
    if (!link || !cubin)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (link->nvidia)
        return nvidia_get(link, NVIDIA_CUBIN, cubin);
    nvJitLinkResult result = find_cubin(link, &data, &size);
    if (result == NVJITLINK_SUCCESS)
        memcpy(cubin, data, size);
    return result;
}

/* PTX and LTO-IR can only come from NVIDIA's library. If that library does not do the link, the
 * call fails. The error is INVALID_INPUT if no option asks for this output, and INTERNAL if an
 * option does, because then the output is missing. */
static nvJitLinkResult get_optimized(nvJitLinkHandle handle, enum nvidia_getter getter, void *out)
{
    const struct jit_link *link = jit_link_of(handle);
    if (!link || !out)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (link->nvidia)
        return nvidia_get(link, getter, out);
    bool is_ptx = getter == NVIDIA_PTX || getter == NVIDIA_PTX_SIZE;
    const struct jit_options *options = &link->options;
    bool is_asked_for = is_ptx ? options->given[JIT_OPTION_PTX] && jit_options_want_lto(options)
                               : jit_options_want_lto(options);
    return is_asked_for ? NVJITLINK_ERROR_INTERNAL : NVJITLINK_ERROR_INVALID_INPUT;
}

nvJitLinkResult jit_get_ptx_size(nvJitLinkHandle handle, size_t *size)
{
    return get_optimized(handle, NVIDIA_PTX_SIZE, size);
}

nvJitLinkResult jit_get_ptx(nvJitLinkHandle handle, char *ptx)
{
    return get_optimized(handle, NVIDIA_PTX, ptx);
}

nvJitLinkResult jit_get_ltoir_size(nvJitLinkHandle handle, size_t *size)
{
    return get_optimized(handle, NVIDIA_LTOIR_SIZE, size);
}

nvJitLinkResult jit_get_ltoir(nvJitLinkHandle handle, void *ltoir)
{
    return get_optimized(handle, NVIDIA_LTOIR, ltoir);
}
