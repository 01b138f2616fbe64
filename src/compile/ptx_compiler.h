/* Compiles the PTX of a link, for programs that link: the callbacks of struct warpld_options.
 *
 *     struct ptx_compiler *compiler = ptx_compiler_create(&settings);
 *     struct ptx_job job = {.compiler = compiler, .message = print, .context = log};
 *     options.compile = ptx_job_compile;
 *     options.report_compiled = ptx_job_report;
 *     options.release_compiled = ptx_job_release;
 *     options.compile_context = &job;
 *
 * A compiler may serve many links on many threads at once; each link has its own job. Nothing here
 * prints, exits or reads environment variables: the program hands in what its user chose, and
 * receives messages as text. A compiler that runs as a process inherits the environment. */
#ifndef WARPLD_COMPILE_PTX_COMPILER_H
#define WARPLD_COMPILE_PTX_COMPILER_H

#include <stddef.h>

#include "warpld.h"

/* How to compile. Strings are copied by ptx_compiler_create; NULL and 0 are the defaults. */
struct ptx_compiler_settings {
    const char *ptxas;            /* this program and no other; NULL: search */
    const char *toolkits[2];      /* toolkit folders: CUDA_HOME, CUDA_PATH */
    const char *own_folder;       /* folder of the program or library that links */
    const char *path;             /* folders, separated by colons: PATH */
    const char *temporary_folder; /* NULL or empty: /tmp */
    unsigned threads;             /* texts compiled at once; 0 counts as 1 */
};

struct ptx_batch;
struct ptx_compiler;

/* Returns NULL if memory has run out. Searches for nothing before the first text is compiled. */
struct ptx_compiler *ptx_compiler_create(const struct ptx_compiler_settings *settings);

/* Links that use the compiler must have ended. NULL is allowed. */
void ptx_compiler_destroy(struct ptx_compiler *compiler);

enum ptx_message_kind {
    PTX_MESSAGE_ERROR,    /* one line: why nothing could be compiled */
    PTX_MESSAGE_WARNING,  /* one line */
    PTX_MESSAGE_COMPILER, /* what the compiler printed, with its newlines */
};

/* The texts of one link. */
struct ptx_job {
    struct ptx_compiler *compiler; /* NULL counts as out of memory */

    /* Options of the link for ptxas, in its syntax. They follow those of the texts. Not copied. */
    const char *const *arguments;
    size_t arguments_count;
    const char *problem; /* with them, or NULL: fails the first text with this message */

    /* Receives messages: those of a text during ptx_job_report, others during ptx_job_compile. The
     * text ends in a NUL after `size` bytes. */
    void (*message)(void *context, enum ptx_message_kind kind, const char *text, size_t size);

    /* Receives the CPU time of each text that was compiled; may be NULL. */
    void (*compiled)(void *context, const struct warpld_compile_request *request,
                     double milliseconds);
    void *context;

    struct ptx_batch *batch; /* private; between compile and release */
};

/* The library's callbacks: warpld_compile_callback, warpld_tell_compiled_callback and
 * warpld_release_callback. The context is a struct ptx_job. */
void ptx_job_compile(void *job, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count);
void ptx_job_report(void *job, size_t index);
void ptx_job_release(void *job, struct warpld_compile_result *results, size_t count);

#endif
