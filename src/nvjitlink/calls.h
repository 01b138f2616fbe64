/* The functions that do the work of the exported ones (functions.def). They return the result codes
 * of release 13, which jit_release_result maps to those of the library's release. */
#ifndef WARPLD_NVJITLINK_CALLS_H
#define WARPLD_NVJITLINK_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "warpld_nvjitlink.h"

nvJitLinkResult jit_add_data(nvJitLinkHandle handle, nvJitLinkInputType type, const void *data,
                             size_t size, const char *name);
nvJitLinkResult jit_add_file(nvJitLinkHandle handle, nvJitLinkInputType type, const char *path);
nvJitLinkResult jit_complete(nvJitLinkHandle handle);
nvJitLinkResult jit_create(nvJitLinkHandle *handle, uint32_t count, const char *const *options);
nvJitLinkResult jit_destroy(nvJitLinkHandle *handle);
nvJitLinkResult jit_get_error_log(nvJitLinkHandle handle, char *log);
nvJitLinkResult jit_get_error_log_size(nvJitLinkHandle handle, size_t *size);
nvJitLinkResult jit_get_info_log(nvJitLinkHandle handle, char *log);
nvJitLinkResult jit_get_info_log_size(nvJitLinkHandle handle, size_t *size);
nvJitLinkResult jit_get_cubin(nvJitLinkHandle handle, void *cubin);
nvJitLinkResult jit_get_cubin_size(nvJitLinkHandle handle, size_t *size);
nvJitLinkResult jit_get_ltoir(nvJitLinkHandle handle, void *ltoir);
nvJitLinkResult jit_get_ltoir_size(nvJitLinkHandle handle, size_t *size);
nvJitLinkResult jit_get_ptx(nvJitLinkHandle handle, char *ptx);
nvJitLinkResult jit_get_ptx_size(nvJitLinkHandle handle, size_t *size);
nvJitLinkResult jit_version(unsigned int *major, unsigned int *minor);

#endif
