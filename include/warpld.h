/* warpld.h - the CUDA device linker as a library.
 *
 * libwarpld joins relocatable device code (cubins) into one executable cubin that the CUDA driver
 * loads. The command `warpld` uses nothing but this interface.
 *
 *     struct warpld_options options = WARPLD_OPTIONS_INIT;
 *     options.architecture = "sm_90";
 *     struct warpld_link *link = warpld_create(&options);
 *     warpld_add_memory(link, "a.cubin", a, a_size);
 *     warpld_add_memory(link, "b.cubin", b, b_size);
 *     if (warpld_run(link) == WARPLD_OK)
 *         warpld_output(link, &cubin, &cubin_size);
 *     warpld_destroy(link);
 *
 * Threads: the library has no global state. Any number of links may exist and run at once; one link
 * must not be used by two threads at the same time.
 *
 * The library never prints, exits, forks, or touches a signal, the locale or the environment. What
 * it has to say goes to the diagnostic callback.
 *
 * Compatibility: structures that callers fill begin with their own size, so that they can grow;
 * enumerators keep their values. */
#ifndef WARPLD_H
#define WARPLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WARPLD_API __attribute__((visibility("default")))
#else
#define WARPLD_API
#endif

#define WARPLD_VERSION_MAJOR 0
#define WARPLD_VERSION_MINOR 1
#define WARPLD_VERSION_PATCH 0
#define WARPLD_VERSION       "0.1.0"

/* Version of the library at run time, e.g. "0.1.0". Static storage. */
WARPLD_API const char *warpld_version(void);

/* The newest CUDA toolkit whose objects this library links, as toolkits write it: 130 is 13.0. */
#define WARPLD_TOOLKIT_VERSION 130

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

enum warpld_status {
    WARPLD_OK = 0,
    WARPLD_ERROR_ARGUMENT = 1, /* a null pointer, a bad option, a call out of order */
    WARPLD_ERROR_FATAL = 2,    /* an input cannot be used at all; nothing was linked */
    WARPLD_ERROR_LINK = 3,   /* the inputs do not make a program: undefined symbols, limits, ... */
    WARPLD_ERROR_MEMORY = 4, /* out of memory; the link can only be destroyed */
    WARPLD_ERROR_OUTPUT = 5, /* the output could not be written; an older file is untouched */
};

/* "ok", "argument", "fatal", ... Static storage. */
WARPLD_API const char *warpld_status_name(enum warpld_status status);

/* --------------------------------------------------------------------------------------------- */
/* Diagnostics                                                                                   */

enum warpld_severity {
    WARPLD_NOTE = 0, /* explains the diagnostic before it */
    WARPLD_INFO = 1,
    WARPLD_WARNING = 2,
    WARPLD_ERROR = 3, /* the link fails, but goes on looking for more errors of the same kind */
    WARPLD_FATAL = 4, /* the link ends here */
};

/* One message. All pointers live only during the callback. */
struct warpld_diagnostic {
    size_t size;                   /* of this structure, as the library knows it */
    enum warpld_severity severity; /* after promotion by warnings_are_errors */
    const char *code;              /* stable identifier, e.g. "undefined-reference" */
    const char *text;              /* one line without prefix and newline; nvlink's wording */
    const char *input;             /* name of the input concerned, or NULL */
    const char *symbol;            /* mangled name of the symbol concerned, or NULL */
};

typedef void warpld_diagnostic_callback(void *context, const struct warpld_diagnostic *diagnostic);

/* --------------------------------------------------------------------------------------------- */
/* Options                                                                                       */

struct warpld_options {
    size_t size; /* sizeof(struct warpld_options): WARPLD_OPTIONS_INIT sets it */

    /* Target, e.g. "sm_90" or "sm_90a". Required. */
    const char *architecture;

    /* Receives every diagnostic; may be NULL. Called from within warpld_* functions only. */
    warpld_diagnostic_callback *diagnostic;
    void *diagnostic_context;

    /* Keep functions that no kernel reaches and the symbols of shared variables. Debug sections are
     * carried with or without it. */
    bool debug;

    /* Report what each kernel uses, as diagnostics of severity info. */
    bool verbose;

    /* Treat warnings as errors. */
    bool warnings_are_errors;

    /* Do not warn about kernels whose stack size recursion makes unknowable. */
    bool suppress_stack_size_warning;

    /* Keep only the kernels whose symbol contains one of these strings, and what they reach. Count
     * 0 keeps all kernels. */
    const char *const *kernels_used;
    size_t kernels_used_count;

    /* What the tool note of the output records: the command line (NULL: the target only) and the
     * name of the output (NULL: none, as nvlink without -g). */
    const char *recorded_options;
    const char *recorded_output;
};

#define WARPLD_OPTIONS_INIT                                                                        \
    {                                                                                              \
        .size = sizeof(struct warpld_options)                                                      \
    }

/* --------------------------------------------------------------------------------------------- */
/* Linking                                                                                       */

struct warpld_link;

/* A new link. Copies the options (strings included). NULL when out of memory or when
 * options->size is smaller than any version of the structure. A bad architecture is reported by
 * warpld_run. */
WARPLD_API struct warpld_link *warpld_create(const struct warpld_options *options);

/* Adds an input held in memory. The bytes are not copied and must stay unchanged until
 * warpld_destroy. `name` (copied) is what diagnostics call it. Inputs are linked in the order in
 * which they are added; the order shows in the output. */
WARPLD_API enum warpld_status warpld_add_memory(struct warpld_link *link, const char *name,
                                                const void *data, size_t size);

/* Adds an input file, which is mapped until warpld_destroy. A file that cannot be read is reported
 * as a fatal diagnostic and WARPLD_ERROR_FATAL. */
WARPLD_API enum warpld_status warpld_add_file(struct warpld_link *link, const char *path);

/* Links all inputs. May be called once. */
WARPLD_API enum warpld_status warpld_run(struct warpld_link *link);

/* The executable cubin, after warpld_run returned WARPLD_OK. It belongs to the link and lives until
 * warpld_destroy. Returns WARPLD_ERROR_ARGUMENT, and sets nothing, when there is no output. */
WARPLD_API enum warpld_status warpld_output(const struct warpld_link *link, const void **data,
                                            size_t *size);

/* Writes the output to a file: a regular file is replaced by a rename, so that a failure leaves an
 * older one as it was; a device or pipe is written straight. */
WARPLD_API enum warpld_status warpld_write(struct warpld_link *link, const char *path);

/* Frees everything. NULL is allowed. */
WARPLD_API void warpld_destroy(struct warpld_link *link);

#ifdef __cplusplus
}
#endif

#endif
