/* Optimises the LTO-IR of the command's link, as the command line and the environment request. */
#ifndef WARPLD_CLI_COMPILE_OPTIMISE_H
#define WARPLD_CLI_COMPILE_OPTIMISE_H

#include "warpld.h"

/* Callbacks for the library. The context is a struct command_compiler. */
void command_optimise(void *context, const struct warpld_optimise_request *request,
                      struct warpld_optimise_result *result);
void command_release_optimised(void *context, struct warpld_optimise_result *result);

#endif
