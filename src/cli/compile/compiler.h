/* The compilers of PTX and LTO-IR that the command's options and environment choose for a link, and
 * the prepared inputs that the link uses and stores. */
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
    struct remote_cache *remote; /* the command's remote cache; NULL: none */
    struct prepared_cache prepared;
    bool without_folder; /* the cache folder cannot be used, and a message has reported this */
    struct ptx_compiler_counts counts; /* PTX texts that the link compiled or found in a cache */
    unsigned split_compile;            /* number of threads that LTO-IR inputs record; 0: none */
    struct ptx_job job;                /* includes the functions that receive messages and times */
    /* Receives the CPU time of the optimiser in milliseconds. The context is that of `job`. May be
     * NULL. */
    void (*optimised)(void *context, const char *architecture, double milliseconds);
};

/* The chosen cache folder. NULL if no folder is chosen, or if a message has reported that the
 * folder cannot be used. */
const char *usable_cache_folder(const struct command_compiler *compiler);

/* Shows the remote cache's warning, if it has one that was not shown yet. */
void command_compiler_report_cache(struct command_compiler *compiler);

/* Sets the callbacks in a link's options, so that the link uses this compiler. The compiler must
 * outlive the link. */
void command_compiler_serve(struct command_compiler *compiler, struct warpld_options *options);

/* Frees the PTX compiler and closes the cache of prepared inputs. Call it after warpld_destroy. */
void command_compiler_end(struct command_compiler *compiler);

#endif
