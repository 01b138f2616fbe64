/* The compiler options that fat binaries record together with LTO-IR. */
#ifndef WARPLD_LINK_LTO_INPUT_OPTIONS_H
#define WARPLD_LINK_LTO_INPUT_OPTIONS_H

#include <stdbool.h>

#include "link/model/link_context.h"

/* The options in LTO-IR inputs that apply to the code of all inputs together. */
struct input_options {
    unsigned max_registers; /* registers for each thread; 0: no limit */
    unsigned split_compile; /* number of compiler threads; 0: not recorded */
};

/* Checks that the inputs agree, and sets *options. Reports -lineinfo and -maxrregcount if only
 * some inputs record them. Returns false after a fatal message if inputs record different values.
 */
bool input_options_collect(link_context *link, struct input_options *options);

#endif
