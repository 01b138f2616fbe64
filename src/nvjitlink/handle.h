/* The state of a link, which nvJitLinkCreate creates and a handle stands for. */
#ifndef WARPLD_NVJITLINK_HANDLE_H
#define WARPLD_NVJITLINK_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "nvjitlink/log.h"
#include "nvjitlink/options.h"
#include "warpld.h"
#include "warpld_nvjitlink.h"

struct input_compilation;
struct nvidia_library;

/* An input that takes part in the link. Name and data are copies. */
struct jit_input {
    char *name;
    uint8_t *data; /* for PTX, the cubin that it was compiled into */
    size_t size;
    bool is_index; /* an index file: libwarpld gets it as an option of the link */
};

/* A PTX text inside a container (a fat binary, an object or a library). It was compiled when the
 * container was added. */
struct compiled_text {
    char *text;
    size_t text_size;
    char *options; /* compiler options that are recorded with the text, or NULL */
    void *cubin;
    size_t cubin_size;
};

/* The state of a link. */
struct jit_link {
    struct jit_options options;
    struct jit_log errors;
    struct jit_log infos;
    nvJitLinkResult refusal; /* result of nvJitLinkCreate */

    struct jit_input *inputs;
    size_t inputs_count;
    size_t inputs_capacity;
    struct compiled_text *compiled;
    size_t compiled_count;
    struct input_compilation *compilation; /* the compilation that is running, see ptx.c; NULL if
                                            * none is */
    const void *index; /* contents of the index file among the inputs, or NULL */
    size_t index_size;

    struct warpld_link *link; /* the link of libwarpld; NULL before the first input */
    /* An input comes from CUDA 13, so the output must have ABI version 8. Set only in
     * libnvJitLink.so.12. */
    bool needs_abi_8;
    bool lacks_lto;     /* LTO-IR was refused, because NVIDIA's library, which compiles it, was not
                           found */
    bool has_lto_input; /* NVIDIA's library has accepted an input with LTO-IR */
    bool has_plain_input; /* NVIDIA's library has accepted an input with code or PTX only */
    /* NVIDIA's library has accepted an input that could not be copied or that libwarpld cannot
     * link. */
    bool lacks_input;
    bool has_fatal_error;
    bool has_refused_text; /* an input was refused because its PTX does not compile */
    bool is_complete;
    bool has_output;
    /* Time of the last line that -time wrote, or of the link's creation if there is none. */
    struct timespec last_time;

    /* NVIDIA's library if it does the link, as with LTO. NULL if libwarpld does the link. */
    const struct nvidia_library *nvidia;
    nvJitLinkHandle nvidia_handle;
    size_t copied_errors; /* bytes of NVIDIA's logs that were copied to `errors` and `infos` */
    size_t copied_infos;
};

/* The link of a handle; NULL if the handle is NULL or was destroyed recently. */
struct jit_link *jit_link_of(nvJitLinkHandle handle);

#endif
