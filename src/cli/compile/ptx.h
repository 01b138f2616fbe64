/* Compiles the PTX of the command's link. */
#ifndef WARPLD_CLI_COMPILE_PTX_H
#define WARPLD_CLI_COMPILE_PTX_H

#include <stddef.h>

#include "warpld.h"

/* The library's callbacks; the context is a struct command_compiler. */
void command_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count);
void command_report_compiled(void *context, size_t index);
void command_release_compiled(void *context, struct warpld_compile_result *results, size_t count);

#endif
