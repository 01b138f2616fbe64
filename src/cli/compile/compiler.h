/* The compilers of PTX and LTO-IR that the command's options and environment choose for a link, and
 * the prepared inputs that the link keeps. */
#ifndef WARPLD_CLI_COMPILE_COMPILER_H
#define WARPLD_CLI_COMPILE_COMPILER_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/compile/remote_cache.h"
#include "cli/options/options.h"
#include "compile/prepared_cache.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

struct command_compiler {
    struct arena *arena;
    const struct command_line *line;
    bool called_nvlink;
    struct remote_cache *remote; /* of the command */
    struct prepared_cache prepared;
    bool without_folder;               /* the cache folder cannot be used, which was reported */
    struct ptx_compiler_counts counts; /* of the link */
    unsigned split_compile;            /* number of threads that LTO-IR inputs record; 0: none */
    struct ptx_job job;                /* with the functions that receive messages and times */
    /* Receives the CPU time of the optimiser, and the context of `job`; may be NULL. */
    void (*optimised)(void *context, const char *architecture, double milliseconds);
};

/* The cache folder that was chosen; NULL if there is none, or if it cannot be used, which was
 * reported. */
const char *usable_cache_folder(const struct command_compiler *compiler);

/* Shows the warning of the remote cache, if there is one. */
void command_compiler_report_cache(struct command_compiler *compiler);

/* Sets the callbacks in a link's options, so that the link uses this compiler. The compiler must
 * outlive the link. */
void command_compiler_serve(struct command_compiler *compiler, struct warpld_options *options);

/* Frees what the links of this compiler have left. Call it after warpld_destroy. */
void command_compiler_end(struct command_compiler *compiler);

#endif
