/* The compiler options that fat binaries record together with LTO-IR. */
#ifndef WARPLD_LINK_LTO_INPUT_OPTIONS_H
#define WARPLD_LINK_LTO_INPUT_OPTIONS_H

#include <stdbool.h>

#include "link/model/link_context.h"

/* The recorded options that apply to the compilation of all LTO-IR together. */
struct input_options {
    unsigned max_registers; /* registers for each thread; 0: no limit */
    unsigned split_compile; /* number of compiler threads; 0: not recorded */
};

/* Sets *options, and checks that all inputs record the same value of each option. Returns false
 * after a fatal message if they record different values. Reports -lineinfo and -maxrregcount if
 * only some inputs record them. */
bool input_options_collect(link_context *link, struct input_options *options);

#endif
