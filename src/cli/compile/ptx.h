/* Compiles the PTX of the command's link, as its options and environment say. */
#ifndef WARPLD_CLI_COMPILE_PTX_H
#define WARPLD_CLI_COMPILE_PTX_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

struct command_compiler {
    struct arena *arena;
    const struct command_line *line;
    bool called_nvlink;
    struct ptx_compiler_counts counts; /* of the link */
    struct ptx_job job;                /* with the functions that receive messages and times */
    /* Receives the CPU time of the optimiser with the job's context; may be NULL. */
    void (*optimised)(void *context, const char *architecture, double milliseconds);
};

/* The library's callbacks; the context is a struct command_compiler. */
void command_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count);
void command_report_compiled(void *context, size_t index);
void command_release_compiled(void *context, struct warpld_compile_result *results, size_t count);

#endif
