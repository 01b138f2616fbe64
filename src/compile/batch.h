/* A batch: all PTX texts of one link, which are compiled together. */
#ifndef WARPLD_COMPILE_BATCH_H
#define WARPLD_COMPILE_BATCH_H

#include <setjmp.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "compile/cache_record.h"
#include "compile/compiler_choice.h"
#include "compile/ptx_compiler.h"
#include "compile/temporary_folder.h"
#include "warpld.h"

/* One text of a batch, and the result of its compilation. */
struct compilation {
    const struct warpld_compile_request *request;
    struct warpld_compile_result *result;
    /* Arguments of ptxas, without the program and the source; ended by NULL. */
    const char *const *arguments;
    bool is_for_debugging; /* -g is among the arguments */
    /* Key of the result in the cache; NULL if the result is not kept. */
    const struct cache_key *key;
    bool succeeded;
    double milliseconds; /* CPU time of the compiler */

    /* What ptx_job_report reports after the compilation. */
    GROWING_ARRAY(const char *, warnings);
    const char *problem;   /* message if the compiler could not be run, crashed or exceeded a limit;
                              else NULL */
    struct bytes messages; /* messages of the compiler; ended by a NUL */

    /* Used while ptxas runs. */
    const char *folder;
    pid_t process;
    bool runs;
};

struct ptx_batch {
    struct arena arena;
    jmp_buf out_of_memory;
    struct ptx_job *job;
    struct compilation *compilations;
    size_t count;
    struct compilation **pending; /* texts that the cache does not have, which are compiled */
    size_t pending_count;
    const struct compiler_choice *choice;

    /* Used while ptxas runs. */
    struct temporary_folder folder;
    bool has_folder; /* a temporary folder exists, which must be removed */
};

/* Passes a message to the job's callback `message`. */
void batch_report(const struct ptx_batch *batch, enum ptx_message_kind kind, const char *text);

/* Sets the arguments of the compilation: first the options that nvlink's built-in compiler records
 * in the tool note, then those that come with the text, then those of the link. The order matters,
 * because ptxas uses the last of several values of an option. */
void batch_set_arguments(struct ptx_batch *batch, struct compilation *compilation);

/* The folder for temporary files; NULL or empty: /tmp. */
const char *ptx_compiler_temporary(const struct ptx_compiler *compiler);

/* Chooses the compiler: sets batch->choice. Returns an error message or NULL. */
const char *batch_choose(struct ptx_batch *batch);

/* Sets the result of a compilation to a copy of the bytes, if there are any. */
void batch_take_cubin(const struct compilation *compilation, struct bytes cubin);

#endif
