/* What a handle points to. */
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

/* PTX inside a container, compiled when the container was added. */
struct compiled_text {
    char *text;
    size_t text_size;
    char *options; /* or NULL */
    void *cubin;
    size_t cubin_size;
};

/* The state of a link. */
struct jit_link {
    struct jit_options options;
    struct jit_log errors;
    struct jit_log infos;
    nvJitLinkResult refusal; /* what Create returned */

    struct jit_input *inputs;
    size_t inputs_count;
    size_t inputs_capacity;
    struct compiled_text *compiled;
    size_t compiled_count;
    struct input_compilation *compilation; /* of a container that is being added; see ptx.c */
    const void *index;                     /* an input of type INDEX, or NULL */
    size_t index_size;

    struct warpld_link *link; /* NULL before the first input */
    bool needs_abi_8;         /* an input comes from CUDA 13; set in libnvJitLink.so.12 only */
    bool lacks_lto;           /* LTO-IR was added, and nothing is there to compile it */
    bool has_lto_input;       /* NVIDIA's library has accepted an input with LTO-IR */
    bool has_plain_input;     /* NVIDIA's library has accepted an input with code or PTX only */
    bool lacks_input; /* an accepted input could not be copied, or libwarpld cannot link it */
    bool has_fatal_error;
    bool has_refused_text; /* PTX that does not compile was added */
    bool is_complete;
    bool has_output;
    struct timespec last_time; /* of the last line of -time */

    const struct nvidia_library *nvidia; /* does the link instead, with LTO; or NULL */
    nvJitLinkHandle nvidia_handle;
    size_t copied_errors; /* bytes of NVIDIA's logs that were copied to `errors` and `infos` */
    size_t copied_infos;
};

/* The link of a handle; NULL if the handle is NULL or was destroyed recently. */
struct jit_link *jit_link_of(nvJitLinkHandle handle);

#endif
