/* The options with which nvJitLink carries out a request of libwarpld, and the remedy if nvJitLink
 * is too old for an input. */
#ifndef WARPLD_COMPILE_OPTIMISER_OPTIONS_H
#define WARPLD_COMPILE_OPTIMISER_OPTIONS_H

#include "base/arena.h"
#include "compile/optimiser.h"
#include "warpld.h"

struct optimiser_options {
    GROWING_ARRAY(const char *, texts);
};

/* Begins the list with the target, the mode, and the kernels and variables that are used. */
void optimiser_options_init(struct optimiser_options *options, struct arena *arena,
                            const struct warpld_optimise_request *request);

/* Adds an option. */
__attribute__((format(printf, 3, 4))) void optimiser_options_add(struct optimiser_options *options,
                                                                 struct arena *arena,
                                                                 const char *format, ...);

/* "compute_90" for "sm_90". */
const char *optimiser_nvvm_target(struct arena *arena, const char *architecture);

/* Returns what the user can do if the job failed because LTO-IR comes from a newer release than
 * nvJitLink; NULL for any other failure. */
const char *optimiser_remedy(struct arena *arena, const struct optimiser_job *job,
                             const char *messages);

#endif
