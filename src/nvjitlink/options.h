/* The options of a link. */
#ifndef WARPLD_NVJITLINK_OPTIONS_H
#define WARPLD_NVJITLINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvjitlink/log.h"
#include "nvjitlink/target.h"
#include "warpld_nvjitlink.h"

enum jit_option {
#define OPTION(name, spelling, form, first_major) JIT_OPTION_##name,
#include "nvjitlink/options.def"
#undef OPTION
    JIT_OPTION_COUNT,
};

/* A list of values. The values point into the arguments. */
struct value_list {
    const char **values;
    size_t count;
};

struct jit_options {
    /* Copies of all arguments; the lists below are in the same block of memory. */
    const char **arguments;
    uint32_t count;
    bool given[JIT_OPTION_COUNT];
    struct jit_target target;    /* read from the last -arch= */
    const char *target_argument; /* the last -arch= as it was given: "-arch=sm_90" */
    struct value_list kernels_used;
    struct value_list variables_used;
    struct value_list ptxas; /* arguments for ptxas, in their order */
};

/* Reads and checks the arguments. Reports the first wrong one. */
nvJitLinkResult jit_options_read(struct jit_options *options, uint32_t count,
                                 const char *const *arguments, struct jit_log *errors);

static inline bool jit_options_want_lto(const struct jit_options *options)
{
    return options->given[JIT_OPTION_LTO] || options->given[JIT_OPTION_DLTO];
}

void jit_options_free(struct jit_options *options);

#endif
