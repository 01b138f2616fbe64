/* Link-time optimisation with NVIDIA's libraries, which are found on the user's machine and never
 * shipped. nvJitLink compiles LTO-IR to PTX or to an object.
 *
 * Objects without LTO-IR refer to names that must remain visible in the result: the kept names. To
 * keep them, libnvvm makes a further module of LTO-IR, which uses these names. Both libraries are
 * called through their documented functions only. */
#ifndef WARPLD_COMPILE_OPTIMISER_H
#define WARPLD_COMPILE_OPTIMISER_H

#include <stdbool.h>
#include <stddef.h>

#include "warpld.h"

/* The module of LTO-IR that keeps names visible, from malloc; all zero if there is none. */
struct optimiser_module {
    char *data;
    size_t size;
};

/* The inputs, options and libraries of an optimisation. The caller owns all that the pointers point
 * to. */
struct optimiser_job {
    const char *nvjitlink; /* path of nvJitLink */
    const char *nvvm; /* path of libnvvm; NULL if it was not found, which is an error only if there
                         are kept names */
    const char *nvvm_target;    /* target for libnvvm, e.g. "compute_90" */
    const char *const *options; /* options of nvJitLink: -arch, -lto, -ptx or -r, and others */
    size_t options_count;
    bool makes_object; /* makes an object in which all names are visible (-r), not PTX */
    /* The PTX is a part of a program. Its functions then keep their linkage if `nvvm` is set. */
    bool is_part;
    const struct warpld_intermediate *inputs;
    size_t inputs_count;
    const struct warpld_kept_name *kept;
    size_t kept_count;
    unsigned seconds; /* time limit if the optimiser runs as a process; 0: none */
    /* For files that are shared with the optimiser's process; NULL or empty: /tmp. */
    const char *temporary_folder;

    /* Asks another process for the module that keeps `names`: the kept names of the job, and the
     * names that the optimiser adds to them. If this is NULL or gives no module, the optimiser
     * makes the module itself. */
    void (*ask_module)(void *context, const struct warpld_kept_name *names, size_t count,
                       struct optimiser_module *module);
    void *module_context;

    /* Called when the libraries are loaded and the optimiser starts; may be NULL. */
    void (*started)(void *context);
    void *started_context;
};

/* The message if nvJitLink refuses the module that libnvvm made. optimiser_remedy looks for it. */
#define OPTIMISER_KEPT_REFUSED "nvJitLink refuses the list of kept names that libnvvm compiled"

/* The result of an optimisation; the pointers are from malloc. */
struct optimiser_output {
    char *code; /* PTX or an object, with a NUL after code_size bytes; NULL after a failure */
    size_t code_size;
    char *messages;      /* messages of the libraries, in lines; NULL: none */
    double milliseconds; /* CPU time of the optimiser's process; 0 if there is no such process */
    /* The result comes from a second attempt. The first attempt failed, though not because of the
     * inputs, and may have left messages. */
    bool has_repeated;
};

/* Runs an optimisation: loads the libraries into this process, or starts a program that loads them.
 * Returns false if memory has run out. Several threads can call it at once. */
typedef bool optimiser_function(const struct optimiser_job *job, struct optimiser_output *output);

#endif
