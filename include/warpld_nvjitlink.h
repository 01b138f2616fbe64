/* warpld_nvjitlink.h - libnvJitLink's interface, as libwarpld offers it.
 *
 * libnvJitLink.so.12 and libnvJitLink.so.13 of warpld have the functions, result codes and input
 * types of NVIDIA's libraries of these names, releases 12.9 and 13.5. Programs that were built with
 * NVIDIA's header can therefore use them without a change. This header declares the same interface
 * for programs that are built without NVIDIA's header. The two headers must not be included
 * together. docs/nvjitlink.md describes the behaviour, and the differences from NVIDIA's libraries.
 *
 *     const char *options[] = {"-arch=sm_90"};
 *     nvJitLinkHandle link;
 *     nvJitLinkCreate(&link, 1, options);
 *     nvJitLinkAddData(link, NVJITLINK_INPUT_CUBIN, a, a_size, "a.cubin");
 *     nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, text, text_size, "b.ptx");
 *     if (nvJitLinkComplete(link) == NVJITLINK_SUCCESS)
 *         nvJitLinkGetLinkedCubin(link, cubin);
 *     nvJitLinkDestroy(&link);
 *
 * Any number of handles may be used at once, each by one thread at a time. */
/* SPDX-FileCopyrightText: The warpld authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WARPLD_NVJITLINK_H
#define WARPLD_NVJITLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WARPLD_NVJITLINK_API __attribute__((visibility("default")))
#else
#define WARPLD_NVJITLINK_API
#endif

/* Result codes of the functions. libnvJitLink.so.12 has only the codes 0 to 9, 14 and 15. It
 * returns INTERNAL instead of LTO_NOT_ENABLED, and INVALID_INPUT instead of the other missing
 * codes. */
typedef enum {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
    NVJITLINK_ERROR_MISSING_ARCH = 2,
    NVJITLINK_ERROR_INVALID_INPUT = 3,
    NVJITLINK_ERROR_PTX_COMPILE = 4,
    NVJITLINK_ERROR_NVVM_COMPILE = 5,
    NVJITLINK_ERROR_INTERNAL = 6,
    NVJITLINK_ERROR_THREADPOOL = 7,
    NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
    NVJITLINK_ERROR_FINALIZE = 9,
    NVJITLINK_ERROR_NULL_INPUT = 10,
    NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
    NVJITLINK_ERROR_INCORRECT_INPUT_TYPE = 12,
    NVJITLINK_ERROR_ARCH_MISMATCH = 13,
    NVJITLINK_ERROR_OUTDATED_LIBRARY = 14,
    NVJITLINK_ERROR_MISSING_FATBIN = 15,
    NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
    NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
    NVJITLINK_ERROR_LTO_NOT_ENABLED = 18
} nvJitLinkResult;

/* The kind of an input. With ANY the library recognises the kind by the contents. */
typedef enum {
    NVJITLINK_INPUT_NONE = 0,
    NVJITLINK_INPUT_CUBIN = 1,
    NVJITLINK_INPUT_PTX = 2,
    NVJITLINK_INPUT_LTOIR = 3,
    NVJITLINK_INPUT_FATBIN = 4,
    NVJITLINK_INPUT_OBJECT = 5,  /* a host object with device code, or a cubin */
    NVJITLINK_INPUT_LIBRARY = 6, /* an archive */
    NVJITLINK_INPUT_INDEX = 7,   /* the index file of unified functions and variables */
    NVJITLINK_INPUT_ANY = 10
} nvJitLinkInputType;

typedef struct nvJitLink *nvJitLinkHandle;

/* Creates a handle for a link with options such as "-arch=sm_90"; docs/nvjitlink.md lists them.
 * *handle is set even if the call fails, so that the caller can read the error log. The caller must
 * destroy the handle in this case, too. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count,
                                                     const char *const *options);

/* Frees a handle and sets it to NULL. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle);

/* Adds an input from memory or from a file. The data is copied. The call checks the input, and
 * compiles it if it is PTX. If the call refuses the input, the link continues without this input.
 * `name` is for messages and may be NULL. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle,
                                                      nvJitLinkInputType type, const void *data,
                                                      size_t size, const char *name);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle,
                                                      nvJitLinkInputType type, const char *path);

/* Links the inputs; may be called once. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle);

/* These functions return the output: the linked cubin, and with link-time optimisation also the PTX
 * (with a NUL at its end; with the option -ptx) or the LTO-IR. The caller allocates as many bytes
 * as the function whose name ends in Size reports. If nvJitLinkComplete fails because of undefined
 * references, there is a cubin anyway. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle,
                                                                 size_t *size);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle,
                                                               size_t *size);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx);
/* libnvJitLink.so.12 does not have the next two functions. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle,
                                                                 size_t *size);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir);

/* The two logs: the error log has the errors; the info log has warnings and what -verbose and -time
 * print. A size includes the NUL that ends the text; it is 0 if there is no text. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size);
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log);

/* Sets *major and *minor to the release of NVIDIA's library with this interface: 12 and 9, or 13
 * and 5. */
WARPLD_NVJITLINK_API nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor);

#ifdef __cplusplus
}
#endif

#endif
