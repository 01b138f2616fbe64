/* Passes links with LTO-IR on to NVIDIA's libnvJitLink, which is loaded at run time. places.def
 * lists the folders in which it is searched for. */
#ifndef WARPLD_NVJITLINK_NVIDIA_H
#define WARPLD_NVJITLINK_NVIDIA_H

#include <stddef.h>

#include "nvjitlink/handle.h"
#include "warpld_nvjitlink.h"

/* The functions of NVIDIA's library that return results. Each takes a handle and a pointer. */
enum nvidia_getter {
    NVIDIA_CUBIN_SIZE,
    NVIDIA_CUBIN,
    NVIDIA_PTX_SIZE,
    NVIDIA_PTX,
    NVIDIA_LTOIR_SIZE,
    NVIDIA_LTOIR,
    NVIDIA_ERROR_LOG_SIZE,
    NVIDIA_ERROR_LOG,
    NVIDIA_INFO_LOG_SIZE,
    NVIDIA_INFO_LOG,
    NVIDIA_GETTERS,
};

/* If NVIDIA's library is installed, creates a handle of it with the same options and sets
 * link->nvidia. All later calls are passed on, unless libwarpld completes the link (partial.h). If
 * the library is not installed, does nothing and returns success. */
nvJitLinkResult nvidia_start(struct jit_link *link);

nvJitLinkResult nvidia_add(struct jit_link *link, nvJitLinkInputType type, const void *data,
                           size_t size, const char *name);
nvJitLinkResult nvidia_complete(struct jit_link *link);
nvJitLinkResult nvidia_get(const struct jit_link *link, enum nvidia_getter getter, void *out);
void nvidia_end(struct jit_link *link);

/* Reports that the LTO-IR of the input needs NVIDIA's library, and where the library was searched
 * for. */
void nvidia_report_missing(struct jit_link *link, const char *name);

#endif
