/* Compiles the PTX of a link, for programs that use libwarpld. This file declares the callbacks for
 * struct warpld_options.
 *
 *     struct ptx_compiler *compiler = ptx_compiler_create(&settings);
 *     struct ptx_job job = {.compiler = compiler, .message = print, .context = log};
 *     options.compile = ptx_job_compile;
 *     options.report_compiled = ptx_job_report;
 *     options.release_compiled = ptx_job_release;
 *     options.compile_context = &job;
 *
 * A compiler may serve many links on many threads at once; each link has its own job. Nothing here
 * prints, exits or reads environment variables: the settings contain what the user of the program
 * chose, and the program receives messages as text. A compiler that runs as a process inherits the
 * environment. */
#ifndef WARPLD_COMPILE_PTX_COMPILER_H
#define WARPLD_COMPILE_PTX_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpld.h"

struct cache_remote;

/* How to compile. Strings are copied by ptx_compiler_create; NULL and 0 are the defaults. */
struct ptx_compiler_settings {
    /* "process": ptxas; "nvptxcompiler": libwarpld-nvptxcompiler.so; "nvjitlink": NVIDIA's
     * libnvJitLink.so.13; "auto", NULL or "": the first of nvptxcompiler, process and nvjitlink
     * that works. Any other value is a path. If the file's name contains ".so", the path is that of
     * a library, otherwise that of a program that takes the arguments of ptxas. */
    const char *choice;

    /* Loads libraries: ptx_plugin_loader() of compile/plugin/loader.h. NULL in programs that are
     * linked statically; for them the program warpld-ptx-helper in own_folder loads the library. */
    const struct ptx_plugin_loader *loader;

    const char *ptxas; /* the only program to use as ptxas; NULL if it is to be searched for */
    const char *toolkits[2];      /* toolkit folders: CUDA_HOME, CUDA_PATH */
    const char *own_folder;       /* folder of the program or library that links */
    const char *path;             /* folders of programs, separated by colons: PATH */
    const char *library_path;     /* folders of libraries, separated by colons: LD_LIBRARY_PATH */
    const char *temporary_folder; /* NULL or empty: /tmp */
    unsigned threads;             /* texts compiled at once; 0 counts as 1 */
    const char *cache_folder;     /* results are kept here, too; NULL or empty: in memory only */
    uint64_t cache_limit;         /* size of the folder's entries in bytes; 0: PTX_CACHE_LIMIT */
    const struct cache_remote *remote; /* store that machines share; not copied; NULL: none */
    bool no_cache;                     /* keep no results, neither in memory nor in the folder */

    /* What a user can do if no compiler is found. The message about this ends with the text. NULL:
     * a text that names --ptxas-path. */
    const char *remedy;
};

/* Default limit of a cache folder: 1 GiB. */
#define PTX_CACHE_LIMIT (UINT64_C(1) << 30)

struct expected_text;
struct ptx_batch;
struct ptx_compiler;
struct ptx_plugin_loader;

/* Creates a compiler; returns NULL if memory has run out. ptxas or a library is searched for when
 * the first text is compiled, and again for each link until one is found. The cache folder is
 * created at once. */
struct ptx_compiler *ptx_compiler_create(const struct ptx_compiler_settings *settings);

/* Requires: all links that use the compiler have ended. NULL is allowed. */
void ptx_compiler_destroy(struct ptx_compiler *compiler);

/* How many texts were compiled, and how many were cached, so far. */
struct ptx_compiler_counts {
    size_t compiled; /* texts that were compiled, or whose compilation failed */
    size_t cached;   /* taken from the cache */
};

struct ptx_compiler_counts ptx_compiler_counts(struct ptx_compiler *compiler);

enum ptx_message_kind {
    PTX_MESSAGE_ERROR,    /* one line: why one text, or all texts, could not be compiled */
    PTX_MESSAGE_WARNING,  /* one line: which option of a text is not passed on */
    PTX_MESSAGE_CACHE,    /* one line: why the cache cannot be used */
    PTX_MESSAGE_THREADS,  /* one line: which of two options for the number of threads is used */
    PTX_MESSAGE_COMPILER, /* what the compiler printed, with its newlines */
    /* What the optimiser printed. It must be written before the compilation, which may take long.
     * An empty text asks to write the earlier messages that are still in a buffer. */
    PTX_MESSAGE_OPTIMISER,
    PTX_MESSAGE_OPTIMISER_FAILED, /* one line: why nothing could be optimised */
};

/* The texts of one link. */
struct ptx_job {
    struct ptx_compiler *compiler; /* NULL: the job fails as if memory had run out */

    /* Options of the link for ptxas, in ptxas's syntax. ptxas gets them after the options that
     * belong to a text. Not copied. */
    const char *const *arguments;
    size_t arguments_count;
    const char *problem; /* why the options are wrong, reported for the first text; or NULL */

    unsigned compiler_seconds; /* time limit of a compiler that runs as a process; 0: none */

    /* Receives messages: those of a text during ptx_job_report, others during ptx_job_compile. The
     * text ends in a NUL after `size` bytes. */
    void (*message)(void *context, enum ptx_message_kind kind, const char *text, size_t size);

    /* Receives the CPU time of each text that was compiled; may be NULL. */
    void (*compiled)(void *context, const struct warpld_compile_request *request,
                     double milliseconds);
    void *context;

    struct ptx_batch *batch; /* private; set from ptx_job_compile to ptx_job_release */
    /* Private; set from ptx_job_expect to ptx_job_forget_expected. */
    struct expected_text *expected;
};

/* The library's callbacks: warpld_compile_callback, warpld_report_compiled_callback and
 * warpld_release_callback. The context is a struct ptx_job. */
void ptx_job_compile(void *context, const struct warpld_compile_request *requests,
                     struct warpld_compile_result *results, size_t count);
void ptx_job_report(void *context, size_t index);
void ptx_job_release(void *context, struct warpld_compile_result *results, size_t count);

/* For a link with only one text. The compiler can start before the program has the text, if the
 * program knows how the text will be compiled:
 *
 *     ptx_job_expect(&job, &request);       the request lacks its text
 *     ptx_job_start_expected(&job);         a ptxas prepares itself and waits
 *     ptx_job_compile_expected(&job, ptx, size);
 *
 * ptx_job_compile then uses the result if it gets the same text with the same options. Where an
 * early start saves no time, as with a compiler that is a library, these functions do nothing. The
 * same thread must call ptx_job_expect and ptx_job_compile_expected; in between, signals that end
 * this program are blocked. If the link has no text after all, ptx_job_compile_expected with NULL
 * ends the compiler. */
void ptx_job_expect(struct ptx_job *job, const struct warpld_compile_request *request);
void ptx_job_start_expected(void *job);
void ptx_job_compile_expected(struct ptx_job *job, const char *ptx, size_t size);

/* Frees the result of ptx_job_compile_expected. */
void ptx_job_forget_expected(struct ptx_job *job);

#endif
