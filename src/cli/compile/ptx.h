/* Compiles the PTX of the command's link. */
#ifndef WARPLD_CLI_COMPILE_PTX_H
#define WARPLD_CLI_COMPILE_PTX_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compile/compiler.h"
#include "warpld.h"

/* Returns true if ptxas compiles the PTX, false if a library in this process does. */
bool command_compiles_with_ptxas(const struct command_compiler *compiler);

/* Makes compiler->job ready for ptx_job_expect and ptx_job_compile. */
void command_prepare_job(struct command_compiler *compiler);

/* Callbacks for the library. The context is a struct command_compiler. */
void command_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count);
void command_report_compiled(void *context, size_t index);
void command_release_compiled(void *context, struct warpld_compile_result *results, size_t count);

#endif
