/* warpld.h - the CUDA device linker as a library.
 *
 * libwarpld links relocatable device code (cubins) into one executable cubin, which the CUDA driver
 * loads. The command `warpld` uses this interface and nothing else.
 *
 *     struct warpld_options options = WARPLD_OPTIONS_INIT;
 *     options.architecture = "sm_90";
 *     struct warpld_link *link;
 *     if (warpld_create(&options, &link) != WARPLD_OK)
 *         return false;
 *     warpld_add_memory(link, "a.cubin", a, a_size);
 *     warpld_add_memory(link, "b.cubin", b, b_size);
 *     if (warpld_run(link) == WARPLD_OK)
 *         warpld_output(link, &cubin, &cubin_size);
 *     warpld_destroy(link);
 *
 * Errors: functions that can fail return a status. Every failure is also reported to the diagnostic
 * callback. Incorrect calls (a null pointer, a bad size, a call out of order) are an exception:
 * they only return WARPLD_ERROR_ARGUMENT. The warpld_add_* functions report null pointers, too, and
 * their errors are sticky: if an input could not be added to a link, warpld_run fails with the same
 * status. A caller may therefore check the status of warpld_run alone.
 *
 * Threads: the library has no global state. Any number of links may exist and run at the same time.
 * One link must not be used by two threads at the same time, not even for queries. A warpld_library
 * may be used by any number of links and threads at the same time. The library calls a callback
 * only while the caller is in a call to the library, and on the thread that made this call. Three
 * kinds of callbacks can be called on other threads: `allocate` and `release`, check_prepared, and
 * all callbacks of links that warpld_run_all runs.
 *
 * Callbacks: a callback may use other links, but not the link that calls it. A callback must
 * return; it must not be left by an exception or by longjmp.
 *
 * Side effects: the library never prints, exits or forks, and never uses signals, the locale or
 * environment variables. It reads the files that the caller adds, the libraries that it finds in
 * library_paths, and the files that thin archives among these inputs name. It writes the file that
 * the caller passes to warpld_write, through a temporary file in the same folder where possible.
 *
 * Ownership: the list shows how long the data that caller and library pass to each other must
 * remain valid, and who frees them.
 *
 *     copied by the call; the caller may free it at once
 *         struct warpld_options with its strings and lists; names and paths of warpld_add_*
 *     not copied; must remain unchanged until warpld_destroy
 *         data of warpld_add_memory; host_data and unified_index of the options; input files; what
 *         a find_prepared callback finds
 *     not copied; must remain valid until warpld_destroy
 *         what the `*_context` pointers of the options point to
 *     owned by the library, valid during the callback only
 *         every structure that a callback receives, with its strings and arrays
 *     owned by the caller until the library calls release_compiled or release_optimised
 *         code and texts that a compile or optimise callback returns
 *     owned by the link, valid until warpld_destroy
 *         the output of warpld_output; strings and data that warpld_get_* returns
 *     reference counted: freed when the caller and every link have released them
 *         libraries of warpld_library_create
 *     static, never freed
 *         results of warpld_version, warpld_status_name and warpld_option_name
 *
 * Only warpld_destroy and warpld_library_destroy free memory to which the caller has a pointer.
 *
 * Compatibility: enumerators keep their values. Structures grow at their end only. A structure that
 * can grow begins with the field `size`.
 *
 * A structure that the caller passes in may be shorter than the library's, because the caller was
 * compiled with an older header: the missing fields count as zero. It may also be longer if every
 * byte that the library does not know is zero. Any other size is refused with
 * WARPLD_ERROR_ARGUMENT.
 *
 * A structure that the library passes to a callback has the library's size. Read no field past this
 * size, and step through an array of such structures by `size` bytes. */
/* SPDX-FileCopyrightText: The warpld authors
 * SPDX-License-Identifier: Apache-2.0 */
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

/* Version of this header. Compare with warpld_version, the version of the library at run time. */
#define WARPLD_VERSION_MAJOR 0
#define WARPLD_VERSION_MINOR 9
#define WARPLD_VERSION_PATCH 0
#define WARPLD_VERSION       "0.9.0"

/* Returns the version of the library at run time, e.g. "0.9.0". The string is static. May be called
 * from any thread. */
WARPLD_API const char *warpld_version(void);

/* The version of this header as a number: 10000 * major + 100 * minor + patch. */
#define WARPLD_VERSION_NUMBER                                                                      \
    (10000 * WARPLD_VERSION_MAJOR + 100 * WARPLD_VERSION_MINOR + WARPLD_VERSION_PATCH)

/* Returns the version of the library at run time as a number like WARPLD_VERSION_NUMBER. May be
 * called from any thread. */
WARPLD_API unsigned warpld_version_number(void);

/* Toolkit versions are numbered as toolkits write them into objects: 130 is CUDA 13.0. */

/* The toolkit version in the ELF header of an output of ABI version 7: CUDA 12.9, the last toolkit
 * that wrote this ABI version. */
#define WARPLD_TOOLKIT_VERSION_12 129

/* The newest toolkit whose objects this library links by default. */
#define WARPLD_TOOLKIT_VERSION 130

/* The newest toolkit whose objects this library links without a warning if
 * warpld_options.allow_newer_toolkit is set. */
#define WARPLD_NEWEST_TOOLKIT_VERSION 135

/* Returns whether `name` is a real target such as "sm_90a". Returns false for NULL and for virtual
 * targets such as "compute_90", although warpld_options.architecture accepts virtual targets. May
 * be called from any thread. */
WARPLD_API bool warpld_knows_architecture(const char *name);

/* Returns the ABI version that an output for the target `name` has by default: 7 for targets that
 * only CUDA 12 has (sm_50 to sm_72), 8 for the others, 0 if `name` is not a real target. May be
 * called from any thread. */
WARPLD_API unsigned warpld_output_abi(const char *name);

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

enum warpld_status {
    WARPLD_OK = 0,
    /* The call is wrong: a null pointer, a structure of a bad size, options that exclude each
     * other, or a call out of order. */
    WARPLD_ERROR_ARGUMENT = 1,
    /* A fatal diagnostic was reported: an unusable input, contradictory definitions, or an unknown
     * target. Nothing was linked. */
    WARPLD_ERROR_FATAL = 2,
    /* Errors were reported: the inputs do not form a program, for example because symbols are
     * undefined or limits are exceeded. */
    WARPLD_ERROR_LINK = 3,
    /* Out of memory. The link cannot be used any more, only destroyed. */
    WARPLD_ERROR_MEMORY = 4,
    /* The output file could not be written. An existing file is unchanged, with the rare exceptions
     * that warpld_write describes. */
    WARPLD_ERROR_OUTPUT = 5,
    /* Not an error: the index of a query is past the last element. */
    WARPLD_END = 6,
    /* The poll callback ended the link. */
    WARPLD_ERROR_CANCELLED = 7,
};

/* Returns "ok", "argument", "fatal", "link", "memory", "output", "end" or "cancelled"; "unknown"
 * for any other value. The string is static. May be called from any thread. */
WARPLD_API const char *warpld_status_name(enum warpld_status status);

/* --------------------------------------------------------------------------------------------- */
/* Diagnostics                                                                                   */

enum warpld_severity {
    WARPLD_NOTE = 0, /* explains the previous diagnostic */
    WARPLD_INFO = 1,
    WARPLD_WARNING = 2,
    WARPLD_ERROR = 3, /* the link looks for more errors of the same kind, then fails */
    WARPLD_FATAL = 4, /* the link fails at once */
};

/* A message of the link. */
struct warpld_diagnostic {
    size_t size;                   /* size of this structure in bytes; the library sets it */
    enum warpld_severity severity; /* severity, after warnings_are_errors was applied */
    const char *code;              /* stable identifier, e.g. "undefined-reference" */
    const char *text;              /* one line without prefix and newline, in nvlink's wording if
                                      nvlink has the message; each byte of a control or format
                                      character in a name is an escape such as "\x1b", while the
                                      next fields have the names as they are */
    const char *input;             /* name of the input concerned, or NULL */
    const char *symbol;            /* mangled name of the symbol concerned, or NULL */
    const char *section;           /* name of the section that the text names, or NULL */
};

/* Receives a diagnostic. `context` is warpld_options.diagnostic_context. */
typedef void warpld_diagnostic_callback(void *context, const struct warpld_diagnostic *diagnostic);

/* --------------------------------------------------------------------------------------------- */
/* PTX                                                                                           */

/* A PTX text to compile into a relocatable cubin. */
struct warpld_compile_request {
    size_t size;              /* size of this structure in bytes; the library sets it */
    const char *name;         /* name of the input, for messages */
    const char *ptx;          /* the text, without a terminating NUL */
    size_t ptx_size;          /* bytes */
    const char *architecture; /* the link's target, e.g. "sm_90a", but without a suffix f */
    bool debug;               /* the link keeps debug information */
    /* Compiler options that a fat binary records with the text, e.g. "-O1 -lineinfo", or NULL. They
     * come from the input, so they cannot be trusted. */
    const char *options;
    bool is_input; /* the text is a whole input, not a part of one */
    /* Compile the text into an executable cubin, as ptxas does without -c, because nothing is
     * linked with it. */
    bool is_whole_program;
    bool is_optimised; /* the text was made from LTO-IR */
};

/* The result of a request to compile. The library sets `size` and clears the rest; the compile
 * callback fills it. The pointers belong to the callback. They must remain valid until
 * release_compiled is called or, if release_compiled is NULL, until warpld_run returns. */
struct warpld_compile_result {
    size_t size;       /* size of this structure in bytes; the library sets it */
    const void *cubin; /* the result; NULL if compilation failed */
    size_t cubin_size; /* bytes */
    /* If compilation failed: text of the link's fatal message, or NULL for a general text. It does
     * not contain the compiler's messages, which report_compiled shows. */
    const char *problem;
    const char *remedy; /* text of a note that follows the fatal message, or NULL */
    /* If compilation failed: number of the first wrong line of the PTX, or 0 if it is not known.
     * After the fatal message, a note names the input and the line, if it is known. The note is
     * omitted if `problem` is set, but neither `remedy` nor `line`, because then the options are at
     * fault, not the PTX. */
    unsigned long line;
};

/* Compiles all PTX of a link in one call: fills results[i] for requests[i], for all i below
 * `count`. The callback may compile several texts at once, on its own threads. The library itself
 * contains no compiler and starts no process. A result without a cubin fails the link with
 * WARPLD_ERROR_FATAL. `context` of this and the next two callbacks is
 * warpld_options.compile_context. */
typedef void warpld_compile_callback(void *context, const struct warpld_compile_request *requests,
                                     struct warpld_compile_result *results, size_t count);

/* Shows the compiler's messages about requests[index]. The library calls it for each request in
 * order, and stops after the first that failed. Before each call it reports the link's own messages
 * about earlier inputs. */
typedef void warpld_report_compiled_callback(void *context, size_t index);

/* Frees the results of the compile callback, because the library has copied the cubins. Called once
 * for each call of the compile callback, with the same array, even if the link fails. */
typedef void warpld_release_callback(void *context, struct warpld_compile_result *results,
                                     size_t count);

/* --------------------------------------------------------------------------------------------- */
/* Link-time optimisation                                                                        */

/* An input of LTO-IR, which compilers write for link-time optimisation (nvcc -dlto). */
struct warpld_intermediate {
    const char *name; /* name of the input, for messages */
    const void *data;
    size_t data_size;   /* bytes */
    bool is_fat_binary; /* the data are a fat binary, and one of its entries is LTO-IR for the
                           target. Compilers scramble this entry, so the library cannot extract
                           it */
    unsigned version;   /* major version number of the LTO-IR's format: 1 for CUDA 13.0 */
    unsigned minor;     /* minor version number: 65 for CUDA 13.0 */
};

/* A name that the optimised code must keep visible, because an input without LTO-IR refers to it or
 * has a weak definition of it. */
struct warpld_kept_name {
    const char *name;       /* mangled */
    unsigned address_space; /* as in NVVM IR: 0 function, 1 global, 3 shared, 4 constant memory */
    size_t variable_size;   /* bytes; 0 for functions */
};

/* A request to optimise all LTO-IR of a link together. The result is one PTX text or, if keep_all
 * is set, one object. */
struct warpld_optimise_request {
    size_t size;              /* size of this structure in bytes; the library sets it */
    const char *architecture; /* the target, e.g. "sm_90a" */
    bool debug;               /* the link keeps debug information */
    const struct warpld_intermediate *inputs;
    size_t inputs_count;

    /* Names that the optimised code must keep visible; none if all inputs of the link are
     * LTO-IR. */
    const struct warpld_kept_name *kept;
    size_t kept_count;

    /* Patterns for the names of kernels and variables that the program uses; a star stands for any
     * text. If there are no patterns for kernels, all kernels are used. If there are none for
     * variables, all variables are used, unless remove_unused_variables is set. */
    const char *const *kernels_used;
    size_t kernels_used_count;
    const char *const *variables_used;
    size_t variables_used_count;
    bool remove_unused_variables;

    /* Limit of registers per thread, as the inputs record it. 0 if it is not recorded. */
    unsigned max_registers;

    /* Make an object, not PTX. All functions and variables are visible in it, and the lists kept,
     * kernels_used and variables_used are empty. */
    bool keep_all;

    /* Number of threads of the optimiser, as the inputs record it. 0 if it is not recorded. */
    unsigned split_compile;

    /* The PTX is only a part of the program, because other inputs hold code. Functions that are not
     * inlined should keep the linkage that they have in the LTO-IR, but the link is correct even if
     * they do not. */
    bool is_part;

    /* The request that the compile callback will receive for the PTX, so that the caller can start
     * a compiler early. The text is still missing, and is_whole_program can still change: it
     * becomes false if the PTX needs functions of the device runtime. NULL if no PTX will be
     * compiled. Valid until the callback returns. */
    const struct warpld_compile_request *compilation;
};

/* The result of a request to optimise. The library sets `size` and clears the rest; the callback
 * fills it. The pointers belong to the callback and must remain valid until release_optimised is
 * called or, if release_optimised is NULL, until warpld_run returns. */
struct warpld_optimise_result {
    size_t size;         /* size of this structure in bytes; the library sets it */
    const char *ptx;     /* the result; NULL if optimisation failed */
    size_t ptx_size;     /* bytes, without a terminating NUL */
    const char *problem; /* if optimisation failed: text of the link's fatal message, or NULL for a
                            general text. The callback itself shows the optimiser's messages. */
    const char *remedy;  /* text of a note that follows the fatal message, or NULL */
    const void *object;  /* if keep_all was set: a relocatable cubin, instead of the PTX */
    size_t object_size;  /* bytes */
};

/* Optimises the LTO-IR of a link, because the library itself contains no optimiser. Called when all
 * other inputs have been read. It is called once, with one exception: it is called twice if the
 * output is PTX (output_ptx) and all names must remain visible. Then the first call makes an
 * object, from which the library reads the names, and the second call makes the PTX. PTX that is
 * not the output is compiled by the compile callback. A result with neither PTX nor an object fails
 * the link with WARPLD_ERROR_FATAL. `context` of this and the next callback is
 * warpld_options.optimise_context. */
typedef void warpld_optimise_callback(void *context, const struct warpld_optimise_request *request,
                                      struct warpld_optimise_result *result);

/* Frees the result of the optimise callback, because the library has copied the code. Called once
 * for each call of the optimise callback, even if the link fails. */
typedef void warpld_release_optimised_callback(void *context,
                                               struct warpld_optimise_result *result);

/* --------------------------------------------------------------------------------------------- */
/* The call graph                                                                                */

struct warpld_graph_function {
    const char *name;        /* mangled */
    bool is_removed;         /* true if no kept function calls it; then it is not in the output and
                                has no callees */
    bool is_entry;           /* a kernel that the host can launch */
    bool is_address_taken;   /* indirect calls can reach the function */
    bool has_register_count; /* false for functions without a definition */
    unsigned register_count; /* registers per thread that the function's own code uses */
};

/* The call graph. Nodes 0 to functions_count - 1 are the functions, in the order in which they were
 * read. The nodes after them are the prototypes of indirect calls. The node of a prototype is a
 * callee of each function that makes indirect calls with this prototype. The callees of a
 * prototype's node are the functions that these calls can reach. The callees of node n are
 *     callees[callees_start[n]], ..., callees[callees_start[n + 1] - 1]
 * where the same function can occur more than once. */
struct warpld_call_graph {
    size_t size;              /* size of this structure in bytes; the library sets it */
    const char *architecture; /* the target, e.g. "sm_90" */
    size_t objects_count;     /* number of objects that take part in the link */
    const struct warpld_graph_function *functions;
    uint32_t functions_count;
    uint32_t nodes_count;          /* number of functions and prototypes */
    const uint32_t *callees_start; /* nodes_count + 1 indices into callees */
    const uint32_t *callees;       /* node numbers */
};

/* Receives the call graph. `context` is warpld_options.call_graph_context. */
typedef void warpld_call_graph_callback(void *context, const struct warpld_call_graph *graph);

/* Describes a kernel that is launched with more registers than its own code uses, because a
 * function that it reaches needs them. Names are mangled. */
struct warpld_raised_registers {
    size_t size;             /* size of this structure in bytes; the library sets it */
    const char *kernel;      /* the kernel whose register count is raised */
    const char *function;    /* the function that needs the registers */
    unsigned register_count; /* registers per thread after the change */
};

/* Receives one raised register count. `context` is warpld_options.call_graph_context. */
typedef void warpld_raised_registers_callback(void *context,
                                              const struct warpld_raised_registers *raised);

/* --------------------------------------------------------------------------------------------- */
/* The trace                                                                                     */

/* Categories of trace lines, which are bits of warpld_options.trace. */
enum warpld_trace {
    WARPLD_TRACE_MERGE = 1,    /* discarded or merged copies of symbols, skipped sections */
    WARPLD_TRACE_LAYOUT = 2,   /* addresses of variables and constants */
    WARPLD_TRACE_RELOCATE = 4, /* relocations whose fields the layout moves or copies */
    WARPLD_TRACE_UNIFIED = 8,  /* unified functions and variables */
    WARPLD_TRACE_INFO = 16,    /* attributes */
    WARPLD_TRACE_ALL = 31,
};

/* One line of the trace. Lines are meant for people; their text may change in any version. */
struct warpld_trace_line {
    size_t size; /* size of this structure in bytes; the library sets it */
    enum warpld_trace category;
    const char *text; /* without a newline */
};

/* Receives one line of the trace. `context` is warpld_options.trace_context. */
typedef void warpld_trace_callback(void *context, const struct warpld_trace_line *line);

/* --------------------------------------------------------------------------------------------- */
/* Statistics                                                                                    */

/* Called when a pass of the link begins, after the previous pass has ended. `pass` is a static
 * string that names the pass; `context` is warpld_options.pass_context. */
typedef void warpld_pass_callback(void *context, const char *pass);

/* Counts of a link up to the point that it has reached. See warpld_get_statistics. */
struct warpld_statistics {
    size_t size;            /* size of this structure in bytes; the caller sets it */
    size_t files;           /* number of files and buffers that the link has read */
    uint64_t input_bytes;   /* total size of these files and buffers */
    size_t objects;         /* device objects that are linked */
    size_t input_sections;  /* sections of the linked objects */
    size_t relocations;     /* relocations of the linked objects */
    size_t names;           /* distinct symbol names */
    size_t functions;       /* functions of the inputs */
    size_t kernels;         /* kernels that are kept */
    size_t output_sections; /* sections of the output */
    size_t output_symbols;  /* symbols of the output */
    uint64_t output_bytes;  /* size of the output */
    size_t memory;          /* bytes allocated for the link, without mapped files */
    size_t prepared_images; /* images that warpld_options.find_prepared provided */
};

/* --------------------------------------------------------------------------------------------- */
/* Prepared inputs                                                                               */

/* An input larger than 64 KB. A link can keep data about the input for later links that read it.
 * These links save time, because unpacking and checking images can take most of the time of a
 * link. */
struct warpld_prepared_input {
    size_t size;      /* size of this structure in bytes; the library sets it */
    const char *path; /* path of the file, or name of the input in memory, as it was added */
    const void *data; /* contents of the input */
    size_t data_size; /* bytes */
    uint64_t device;  /* device number of the file; 0 for an input in memory */
    uint64_t inode;   /* inode number of the file; 0 for an input in memory */
    int64_t modified; /* time when the file was modified, in nanoseconds since 1970 */
    int64_t changed;  /* time when the inode was changed, which no program can set */
    /* A text that names everything on which the kept data depend, except the contents of the input.
     * Examples are the version of the library, and the target. */
    const char *form;
};

/* Sets *data and *data_size to the bytes that warpld_options.keep_prepared received for an input of
 * the same contents and `form`. Returns false if there are no such bytes. The library does not
 * check the images in these bytes again. The caller must therefore store digests with the bytes,
 * and compare the digests here or in check_prepared. The bytes must begin at a multiple of 8 and
 * must remain valid until warpld_destroy. They change neither the messages nor the output of the
 * link. `context` of this and the next two callbacks is warpld_options.prepared_context. */
typedef bool warpld_find_prepared_callback(void *context, const struct warpld_prepared_input *input,
                                           const void **data, size_t *data_size);

/* Returns true if `data`, a part of the bytes that find_prepared returned, is unchanged. The
 * library makes this call before it reads a part. It does not read all parts: for example, it skips
 * the code of kernels that are removed. If a part has changed, the library reads the input itself
 * instead. Several threads can make the call at the same time: the caller's thread and those that
 * the link starts. */
typedef bool warpld_check_prepared_callback(void *context, const void *data, size_t data_size);

/* Receives data about an input for which find_prepared provided no usable bytes. Later links can
 * use these data. */
typedef void warpld_keep_prepared_callback(void *context, const struct warpld_prepared_input *input,
                                           const void *data, size_t data_size);

/* --------------------------------------------------------------------------------------------- */
/* Control                                                                                       */

/* Called before the inputs are read and before each pass. Returns true to end the link with
 * WARPLD_ERROR_CANCELLED. `context` is warpld_options.poll_context. */
typedef bool warpld_poll_callback(void *context);

/* Allocates `size` bytes, aligned for every type, or returns NULL, which ends the link with
 * WARPLD_ERROR_MEMORY. Must be thread-safe: it is called on the caller's thread and on those that
 * the link starts (see warpld_options.threads), by several threads at once. `context` of this and
 * the next callback is warpld_options.memory_context. */
typedef void *warpld_allocate_callback(void *context, size_t size);

/* Frees what the allocate callback returned. Called under the same conditions as the allocate
 * callback, and by warpld_destroy. */
typedef void warpld_free_callback(void *context, void *memory);

/* --------------------------------------------------------------------------------------------- */
/* Options                                                                                       */

/* The options of a link. Zero is the default of every field, but `size` and `architecture` must be
 * set. WARPLD_OPTIONS_INIT sets `size`. A pointer to a list may be NULL only if its count is 0. */
struct warpld_options {
    size_t size; /* sizeof(struct warpld_options) */

    /* The target, e.g. "sm_90" or "sm_90a". warpld_run reports an unknown target. For a virtual
     * target such as "compute_90", the library only checks and lists the inputs, and makes no
     * output, because the driver compiles and links the PTX. */
    const char *architecture;

    /* Receives every diagnostic; may be NULL. */
    warpld_diagnostic_callback *diagnostic;
    void *diagnostic_context;

    /* Keep all functions, even those that no kernel reaches, and keep the symbols of shared
     * variables. This option does not affect debug sections, which are kept unless no_debug_info is
     * set. */
    bool debug;

    /* Report the resources that each kernel uses, as diagnostics of severity WARPLD_INFO. */
    bool verbose;

    /* Report warnings as errors, which fail the link. */
    bool warnings_are_errors;

    /* Do not warn about kernels whose stack size is unknown because of recursion. */
    bool suppress_stack_size_warning;

    /* Warn about functions whose address is taken but which no call can reach. */
    bool extra_warnings;

    /* Keep only the kernels whose symbol name contains one of these strings, and what these kernels
     * reach. A star in a string matches any characters. If the list is empty, all kernels are
     * kept. */
    const char *const *kernels_used;
    size_t kernels_used_count;

    /* Names of variables that the program uses. The `optimise` callback receives the list. If
     * remove_unused_constants is set, the link keeps the constants in the list. The list does not
     * make the link remove any other variable. For compatibility with nvlink, the list also affects
     * kernels: if it is set and kernels_used is empty, the link treats all kernels as if
     * kernels_used did not match them. */
    const char *const *variables_used;
    size_t variables_used_count;

    /* Keep kernels that host code does not refer to. By default they are removed if every input is
     * a host object that records its references. */
    bool ignore_host_references;

    /* Texts for the tool note of the output: the command line, and the name of the output. If
     * recorded_options is NULL, the note has only the target instead. If recorded_output is NULL,
     * the note has no output name, like that of nvlink without -g. */
    const char *recorded_options;
    const char *recorded_output;

    /* Compiles PTX among the inputs. If it is NULL, PTX that has to be compiled fails the link. */
    warpld_compile_callback *compile;
    warpld_release_callback *release_compiled; /* may be NULL */
    void *compile_context;

    /* Folders in which warpld_add_library searches, in this order. There are no default folders,
     * and environment variables are ignored. */
    const char *const *library_paths;
    size_t library_paths_count;

    /* Do not link objects that another input contains in linked form. Compilers such as nvcc, which
     * register linked objects, rely on this option, see warpld_get_linked_object. */
    bool skip_linked_before;

    /* Link the device runtime (an input with "libcudadevrt" in its path) even if nothing refers to
     * it. */
    bool keep_system_libraries;

    /* Do not warn about inputs without code for the target. */
    bool suppress_arch_warning;

    /* Succeed if the inputs contain device code, but none for the target. By default that is an
     * error. */
    bool allow_empty;

    /* Accept undefined variables, and leave them undefined in the output. */
    bool allow_undefined_globals;

    /* Contents of the section .nv.host, host_size bytes. If NULL, the output has no such section.
     * Not copied: it must remain unchanged until warpld_destroy. */
    const void *host_data;
    size_t host_size;

    /* ELF machine number (e_machine) of the host. warpld_add_library skips archives for other
     * machines. 0 means all machines. */
    unsigned host_machine;

    /* Behave like nvlink in cases in which this library by default reports or accepts more than
     * nvlink. For example, do not warn about inputs that are ignored because they contain nothing
     * to link. If the stack size of a kernel is unknown, warn once for each call that causes this,
     * instead of once for the kernel. */
    bool as_nvlink;

    /* Link objects of toolkits newer than WARPLD_TOOLKIT_VERSION. By default such objects are
     * refused. The output follows the nvlink of the newest toolkit among the objects. Objects of
     * toolkits newer than WARPLD_NEWEST_TOOLKIT_VERSION may contain features that this library does
     * not know. They are linked with a warning for targets up to sm_90a, and refused for later
     * targets. */
    bool allow_newer_toolkit;

    /* Leave address 0 of shared memory unused, so that no variable has the address of a null
     * pointer. */
    bool reserve_null_pointer;

    /* Do not reserve shared memory for the system. By default, links for targets from sm_90 on
     * reserve some. */
    bool no_shared_reservation;

    /* Store the addend of every relocation of the output in its entry (RELA). */
    bool force_addends;

    /* Discard debug information. */
    bool no_debug_info;

    /* call_graph receives the call graph after undefined symbols have been reported;
     * raised_registers then receives each kernel whose register count is raised. Either callback
     * may be NULL. */
    warpld_call_graph_callback *call_graph;
    warpld_raised_registers_callback *raised_registers;
    void *call_graph_context;

    /* Make an object that can be linked again instead of an executable. Everything in the inputs is
     * kept, symbols may be undefined, and the final link assigns addresses. Not together with
     * merge_constants or remove_unused_constants. */
    bool relocatable;

    /* Write sections named .nv.resolvedrela.X, which list the relocations that the link has
     * resolved. Also keep functions that nothing calls, and the symbols of shared variables. */
    bool preserve_relocations;

    /* Number of threads that a large link may use; 0 counts as 1. The output does not depend on it.
     * Callbacks are called on the caller's thread only, except `allocate`, `release` and
     * check_prepared. */
    unsigned threads;

    /* Called when a pass begins; may be NULL. */
    warpld_pass_callback *pass_begins;
    void *pass_context;

    /* Contents of the index file of unified functions and variables, unified_index_size bytes. The
     * file assigns each unified function and variable an offset, so that every program that is
     * linked with the file has them at the same offsets. If NULL, inputs with unified functions or
     * variables are refused. Not copied: it must remain unchanged until warpld_destroy. */
    const void *unified_index;
    size_t unified_index_size;

    /* Store only one copy of equal constants that the compiler made for a kernel's code, unless
     * that would make a kernel's constant bank larger. Named constants are never merged, because
     * the host can write them. Not together with `relocatable`: only the final link can merge
     * constants. */
    bool merge_constants;

    /* Remove constants that no code or data refers to, unless a host object or variables_used names
     * them. Host code cannot ask the driver for a removed constant by name. Has no effect with
     * `debug`. Not together with `relocatable`: only the final link can remove constants. */
    bool remove_unused_constants;

    /* Trace of the link. trace_line, which may be NULL, receives the lines of those categories
     * (enum warpld_trace) whose bits are set in `trace`. The same inputs give the same lines. */
    unsigned trace;
    warpld_trace_callback *trace_line;
    void *trace_context;

    /* ABI version of the output: 8, 7 or 0; warpld_run reports other values. Version 8 is that of
     * CUDA 13. It requires a target from sm_75 on. Objects of CUDA 12 can be linked into an output
     * of version 8, as by nvlink 13.0. Version 7 is that of CUDA 12, which drivers of CUDA 12 can
     * load. It requires a target up to sm_90a, and all objects must be of CUDA 12. 0 means 7 for
     * targets that only CUDA 12 has (sm_50 to sm_72), and 8 for all others. */
    unsigned output_abi;

    /* Shows the compiler's messages among those of the link, in the order of the inputs. If NULL,
     * the compile callback shows them itself, before the link's messages about inputs. */
    warpld_report_compiled_callback *report_compiled;

    /* Allow a kernel as much static shared memory as the target has for one block. The default
     * limit is 48 KB. */
    bool extended_shared;

    /* Called during the link, and can end it early; may be NULL. */
    warpld_poll_callback *poll;
    void *poll_context;

    /* Fail with WARPLD_ERROR_MEMORY when the link would allocate more than this many bytes. 0 means
     * a gigabyte plus an amount in proportion to the size of the inputs. The limit does not include
     * the contents of input files and the output. */
    size_t memory_limit;

    /* Allocate and release the memory of the link, in blocks of 64 KB or more. Set both or neither.
     * If they are not set, memory comes from the system. Mapped files, the buffer of the output and
     * short-lived texts of messages always come from the system. */
    warpld_allocate_callback *allocate;
    warpld_free_callback *release;
    void *memory_context;

    /* Make the output even if symbols are undefined. They are still reported as errors, and
     * warpld_run still returns WARPLD_ERROR_LINK. If there are no other errors, warpld_output
     * returns the output, which keeps the relocations that refer to undefined symbols. */
    bool output_undefined;

    /* Link-time optimisation. If this callback is set, the link prefers LTO-IR for the target to
     * machine code and PTX. The callback optimises the LTO-IR, and `compile` compiles the resulting
     * PTX. The resulting object is linked at the position of the first input with LTO-IR. If no
     * other input takes part in the link, the compiler makes the whole output, and queries about
     * the output find nothing. If the callback is NULL, an input that has only LTO-IR for the
     * target fails the link. */
    warpld_optimise_callback *optimise;
    warpld_release_optimised_callback *release_optimised; /* may be NULL */
    void *optimise_context;

    /* With `optimise`: the output is the optimised PTX, without a terminating NUL. */
    bool output_ptx;

    /* With `optimise`: keep all functions and variables of LTO-IR visible even if there are no
     * other inputs. A relocatable link always keeps them visible. In both cases the optimiser makes
     * an object. */
    bool optimise_partially;

    /* With `optimise`: compile LTO-IR as a whole program if the device runtime is the only other
     * input, even if the code calls it. Not together with optimise_partially or `relocatable`. */
    bool optimise_whole_program;

    /* With `optimise`: the callbacks limit registers themselves, so the limits that inputs of
     * LTO-IR record may differ. If false, these limits must be equal, and the requests to
     * `optimise` and `compile` contain the limit. */
    bool own_register_limit;

    /* Before warpld_write replaces an older file, it waits until the output is on the disk.
     * Afterwards it waits until the new name is on the disk, too (fsync of the file and of its
     * folder). Therefore a power failure leaves either the whole older file or the whole new file.
     * By default the system decides when to write to the disk, which is faster. */
    bool durable_output;

    /* Map large input files (above 64 KB) instead of copying them, which saves memory and time. If
     * a mapped file becomes shorter before warpld_destroy, the system sends SIGBUS to the program.
     * Without this option, the link fails if a file becomes shorter while the library reads it, and
     * later changes do not affect the link. */
    bool map_inputs;

    /* Keep the diagnostics, so that warpld_get_log can return them. Their memory counts towards
     * memory_limit. */
    bool keep_log;

    /* These callbacks keep data about large inputs and return them to later links with the same
     * inputs. They are called only if both are set. Links with `optimise` and links without it do
     * not share such data, because the `form` of their inputs differs. A link with `optimise` keeps
     * no images of members that have LTO-IR. */
    warpld_find_prepared_callback *find_prepared;
    warpld_keep_prepared_callback *keep_prepared;
    void *prepared_context;

    /* If NULL, find_prepared must itself compare the digests of all bytes that it returns. */
    warpld_check_prepared_callback *check_prepared;
};

/* Initializer for struct warpld_options: sets `size` and leaves every option at its default. For
 * C++ it is a function, because C++ has designated initializers only since C++20. */
#ifdef __cplusplus
static inline struct warpld_options warpld_options_init(void)
{
    struct warpld_options options = warpld_options();
    options.size = sizeof options;
    return options;
}
#define WARPLD_OPTIONS_INIT warpld_options_init()
#else
#define WARPLD_OPTIONS_INIT                                                                        \
    {                                                                                              \
        .size = sizeof(struct warpld_options)                                                      \
    }
#endif

/* --------------------------------------------------------------------------------------------- */
/* Linking                                                                                       */

/* A link: its options, inputs and output. */
struct warpld_link;

/* Creates a link and stores it in *link; the caller frees it with warpld_destroy. Options are
 * copied. warpld_run checks their values.
 *
 * Errors, with *link set to NULL:
 * - WARPLD_ERROR_ARGUMENT: an argument is NULL, or options->size is too small for any version of
 *   the structure or impossibly large. Not reported: the callback is not known.
 * - WARPLD_ERROR_ARGUMENT: an option is set that this version does not know, or only one of
 *   `allocate` and `release` is set. Reported to options->diagnostic.
 * - WARPLD_ERROR_MEMORY: reported to options->diagnostic. */
WARPLD_API enum warpld_status warpld_create(const struct warpld_options *options,
                                            struct warpld_link **link);

/* Options by name, for callers that do not use the structure: bindings of other languages, and
 * programs that must also run with a library that lacks some options.
 *
 * Names are the long names of the command's options, without dashes ("warning-as-error"), and a few
 * that only the library has. Every field of struct warpld_options has a name, except callbacks,
 * their contexts, and data in memory. */

/* Returns the name of the option number `index`, or NULL if there are no more. The order is that of
 * the fields of struct warpld_options. The string is static. May be called from any thread. */
WARPLD_API const char *warpld_option_name(size_t index);

/* Sets an option before warpld_run. `value` is copied and read according to the option's kind:
 * - on or off: "true" or "false", or NULL for true;
 * - a number: in decimal;
 * - a text: any, or NULL for the default;
 * - a list ("library-path", "kernels-used", "variables-used"): one element, which is appended;
 * - "trace": one category, which is added;
 * - "as": "warpld" or "nvlink".
 *
 * Set options before adding inputs, because warpld_add_library and warpld_examine use the options
 * that are set when they are called.
 *
 * Errors, which are sticky like those of warpld_add_*:
 * - WARPLD_ERROR_ARGUMENT: a null name, an unknown name, or a value that the option cannot have.
 *   Each is reported. To find out whether the library has an option, use warpld_get_option.
 * - WARPLD_ERROR_MEMORY: reported.
 *
 * If `link` is NULL or has run, returns WARPLD_ERROR_ARGUMENT and reports nothing. */
WARPLD_API enum warpld_status warpld_set_option(struct warpld_link *link, const char *name,
                                                const char *value);

/* Sets *value to the value of an option, in the form that warpld_set_option takes. For a list,
 * `index` is the number of an element. For "trace", it is a number among the categories that are
 * set. For all other options it is 0. The value of a text that is not set is NULL. The string is
 * valid until warpld_destroy.
 *
 * Errors, which leave *value unchanged:
 * - WARPLD_ERROR_ARGUMENT: a null pointer or an unknown name. Not reported.
 * - WARPLD_END: `index` is past the last element. Not reported.
 * - WARPLD_ERROR_MEMORY: reported. */
WARPLD_API enum warpld_status warpld_get_option(struct warpld_link *link, const char *name,
                                                size_t index, const char **value);

/* The warpld_add_* functions add inputs before warpld_run. Inputs are linked in the order in which
 * they are added, but inputs of warpld_add_library follow all others. The output depends on the
 * order.
 *
 * Each of these functions can return the following errors. After such an error, every later call of
 * warpld_add_* or warpld_run returns the same status.
 * - WARPLD_ERROR_ARGUMENT: a null pointer, which is reported.
 * - WARPLD_ERROR_MEMORY: reported.
 *
 * If `link` is NULL or has run, they return WARPLD_ERROR_ARGUMENT, report nothing and change
 * nothing. */

/* Adds an input of `size` bytes in memory: a cubin, a fat binary, a host object with device code,
 * an archive of these, or PTX text. The library recognises the kind of the input by its content.
 * `data` may be NULL if `size` is 0. `data` is not copied and must remain unchanged until
 * warpld_destroy. `name` (copied) is the name in diagnostics. The link reads no files for this
 * input: members of a thin archive are reported as unreadable. */
WARPLD_API enum warpld_status warpld_add_memory(struct warpld_link *link, const char *name,
                                                const void *data, size_t size);

/* Kinds of contents, which the library recognises by the first bytes. */
enum warpld_content {
    WARPLD_CONTENT_UNKNOWN = 0,
    WARPLD_CONTENT_CUBIN = 1, /* a device ELF */
    WARPLD_CONTENT_FATBIN = 2,
    WARPLD_CONTENT_HOST_OBJECT = 3, /* an ELF for a CPU, with or without device code */
    WARPLD_CONTENT_ARCHIVE = 4,
    WARPLD_CONTENT_PTX = 5,
    WARPLD_CONTENT_LTO_IR = 6,
    WARPLD_CONTENT_UNIFIED_INDEX = 7, /* for warpld_options.unified_index */
};

/* The result of warpld_examine: the kind of some bytes, and the images that a link would take from
 * them. A link takes one image from each fat binary: machine code or PTX, whichever fits the target
 * best. */
struct warpld_examined {
    size_t size; /* size of this structure in bytes; the caller sets it */
    enum warpld_content content;
    const char *problem; /* text that says what is damaged, or NULL; valid until warpld_destroy */
    bool has_code;       /* there is machine code for the target, or an archive has a cubin */
    bool has_ptx;        /* there is PTX, which has to be compiled */
    bool has_lto_ir;     /* there is LTO-IR for the target, alone or beside other images */
    bool lacks_target;   /* there is device code, but none for the target */
    bool is_linked;      /* the bytes are a cubin that is linked already */
};

/* Examines `data_size` bytes without adding them to the link. Damage is not reported, but described
 * in `examined->problem`. The result of later calls is not affected. May be called before
 * warpld_run. `data` must remain unchanged until warpld_destroy. If `data` is a cubin and the next
 * call is warpld_add_memory with the same bytes, the cubin is not validated again. A cubin about
 * which validation warns is an exception.
 *
 * Errors:
 * - WARPLD_ERROR_ARGUMENT: a null pointer, a bad size, or a link that has run or failed. Not
 *   reported.
 * - WARPLD_ERROR_MEMORY: reported. */
WARPLD_API enum warpld_status warpld_examine(struct warpld_link *link, const void *data,
                                             size_t data_size, struct warpld_examined *examined);

/* Adds an input file of any kind that warpld_add_memory accepts. `path` is copied. This function
 * does not open the file: warpld_run reads it, in the order of the inputs. If it cannot be read,
 * warpld_run reports this and returns WARPLD_ERROR_FATAL. The file must remain unchanged until
 * warpld_destroy. */
WARPLD_API enum warpld_status warpld_add_file(struct warpld_link *link, const char *path);

/* Searches the folders of warpld_options.library_paths in order, and adds the first archive
 * libNAME.a. `name` is copied. The archive must remain unchanged until warpld_destroy.
 *
 * If any folder has libNAME.so, no archive is added. It is not an error if no folder has a readable
 * archive, because compilers also pass the names of libraries without device code. If a symbol
 * remains undefined, a note names the missing library.
 *
 * An archive whose first member is neither device code nor a host object for
 * warpld_options.host_machine is skipped with a warning. If warnings_are_errors is set, this
 * warning is an error, and warpld_run fails. After such an error, WARPLD_ERROR_FATAL is
 * returned when an archive is opened next: by the same call, if it opens an archive in a later
 * folder, or by a later one. warpld_run returns it, too. */
WARPLD_API enum warpld_status warpld_add_library(struct warpld_link *link, const char *name);

/* A warpld_library holds inputs that many links have in common, such as an archive of device
 * functions or the device runtime. The library reads and opens the inputs once. A link takes only
 * the contents that it needs from the library, and does not read the inputs itself.
 *
 * Add all inputs first, from one thread at a time. The first call of warpld_add_shared must follow
 * all calls that add inputs; from then on the library does not change. Machine code is unpacked and
 * checked when the first link chooses it. Other links that need this code at the same time wait.
 * The library's memory comes from the system, not from `allocate` of a link, and does not count
 * towards the memory_limit of a link. */
struct warpld_library;

/* Creates an empty library, which the caller releases with warpld_library_destroy. Returns
 * WARPLD_ERROR_ARGUMENT if `library` is NULL. If memory runs out, sets *library to NULL and returns
 * WARPLD_ERROR_MEMORY. */
WARPLD_API enum warpld_status warpld_library_create(struct warpld_library **library);

/* Adds an input of any kind that warpld_add_memory accepts. `data` is copied, unlike by
 * warpld_add_memory. A damaged or unusable input is not an error of this function: each link that
 * uses the library reports it.
 *
 * Errors of this function and the next one, which report nothing themselves:
 * - WARPLD_ERROR_ARGUMENT: a null pointer, or warpld_add_shared was called before. Nothing is
 *   added.
 * - WARPLD_ERROR_MEMORY: memory runs out; the limit is a gigabyte plus 256 times the size of the
 *   inputs. After this error, later calls that add an input fail, too. warpld_add_shared also
 *   fails, and reports the error. */
WARPLD_API enum warpld_status warpld_library_add_memory(struct warpld_library *library,
                                                        const char *name, const void *data,
                                                        size_t size);

/* Adds an input file of any kind that warpld_add_file accepts. `path` is copied. This function
 * reads the file; if it cannot be read, each link reports this. The file must remain unchanged
 * until the library is freed. Each link itself reads the members of a thin archive. */
WARPLD_API enum warpld_status warpld_library_add_file(struct warpld_library *library,
                                                      const char *path);

/* Adds all inputs of a library to a link, in the order in which they were added to the library.
 * Output and diagnostics are the same as if warpld_add_memory and warpld_add_file added these
 * inputs to the link. The link keeps the library alive until warpld_destroy, so the caller may call
 * warpld_library_destroy at once. Several threads may add one library to their links at the same
 * time. The errors are those of the other warpld_add_* functions. */
WARPLD_API enum warpld_status warpld_add_shared(struct warpld_link *link,
                                                struct warpld_library *library);

/* Releases the caller's reference to the library. The library is freed when the last link that uses
 * it is destroyed. NULL is ignored. May be called from any thread. */
WARPLD_API void warpld_library_destroy(struct warpld_library *library);

/* Links all inputs; may be called once. After WARPLD_OK the output is available, unless the target
 * is virtual. See also warpld_options.output_undefined. Callbacks are called during this call.
 *
 * Errors, each reported to the diagnostic callback unless noted:
 * - the status of a warpld_add_* or warpld_set_option call that failed, which was reported then;
 * - WARPLD_ERROR_CANCELLED: the poll callback ended the link;
 * - WARPLD_ERROR_ARGUMENT: options exclude each other; each pair is reported. Not reported: `link`
 *   is NULL, or the link has run before.
 * - WARPLD_ERROR_FATAL, WARPLD_ERROR_LINK, WARPLD_ERROR_MEMORY: see enum warpld_status. */
WARPLD_API enum warpld_status warpld_run(struct warpld_link *link);

/* Runs different links at the same time, on up to `threads` threads (0 counts as 1), and returns
 * when all have ended. For example, the links can be those of one program for several targets,
 * which share one warpld_library. Sets statuses[i] to the result of warpld_run for links[i]. The
 * output and the queries of links[i] are then available as after warpld_run. Each link can use
 * threads in addition (warpld_options.threads).
 *
 * Callbacks of a link are called on the thread that runs this link. Callbacks of different links
 * can be called at the same time; a callback recognises its link by the `context` that it receives.
 *
 * Returns WARPLD_OK if all links succeeded, otherwise the status of the first that failed in the
 * order of `links`. If `count` is not 0 and `links` or `statuses` is NULL, returns
 * WARPLD_ERROR_ARGUMENT, runs nothing and sets no status. */
WARPLD_API enum warpld_status warpld_run_all(struct warpld_link *const *links,
                                             enum warpld_status *statuses, size_t count,
                                             unsigned threads);

/* The following warpld_get_* functions, except warpld_get_log, fill a structure whose `size` the
 * caller has set. They set `size` to the number of bytes that they have filled. They return
 * WARPLD_ERROR_ARGUMENT for a null pointer or a bad size (see Compatibility above), and WARPLD_END
 * if `index` is past the last element. After these two errors, the structure is unchanged, and
 * nothing is reported. */

/* An object among the inputs that takes part in the link, with or without code for the target. Host
 * code must register each such object. */
struct warpld_linked_object {
    size_t size;           /* size of this structure in bytes; the caller sets it */
    const char *name;      /* name of a file, or of a member as in "libx.a:member.o" */
    const char *module_id; /* identifies the object in host code that nvcc makes; NULL if it is not
                              a host object */
};

/* Describes the object number `index`, in linking order. There are none before warpld_run. */
WARPLD_API enum warpld_status warpld_get_linked_object(const struct warpld_link *link, size_t index,
                                                       struct warpld_linked_object *object);

/* Why the link read a file. */
enum warpld_file_kind {
    WARPLD_FILE_INPUT = 0,   /* added by warpld_add_file or warpld_add_memory */
    WARPLD_FILE_LIBRARY = 1, /* a file that warpld_add_library found: it is linked, skipped as
                                incompatible, or a shared library that was read for messages */
    WARPLD_FILE_MEMBER = 2,  /* named by a thin archive; known after warpld_run */
};

/* A file that the link has read, with its bytes as the link read them. */
struct warpld_read_file {
    size_t size; /* size of this structure in bytes; the caller sets it */
    enum warpld_file_kind kind;
    const char *path;
    const void *data; /* NULL for an empty file */
    size_t data_size; /* bytes */
    /* For a WARPLD_FILE_MEMBER, the index of the thin archive that names the file. For any other
     * file, the file's own index. */
    size_t archive;
    /* For an archive, the index of the first archive that is the same file; an archive that is
     * added several times is linked once. For any other file, the file's own index. */
    size_t same_as;
    bool missing; /* the file could not be read, which was an error, or has changed since the link
                     read it */
};

/* Describes the file number `index`. Inputs are numbered first, then libraries that
 * warpld_add_library added, then files that it skipped and shared libraries that were read for
 * messages, each in the order in which they were added. Members of thin archives follow, in the
 * order of their archives.
 *
 * A call before warpld_run reads the files that were added and makes the link keep their bytes. If
 * the first call follows warpld_run, the link may have discarded bytes that it no longer needed,
 * and the call reads the file again. The function also works for a link that failed, unless memory
 * ran out. If memory runs out during the call, the link fails; the call reports this and returns
 * WARPLD_ERROR_MEMORY. */
WARPLD_API enum warpld_status warpld_get_read_file(struct warpld_link *link, size_t index,
                                                   struct warpld_read_file *file);

/* The kind of thing that a symbol of the output names. */
enum warpld_symbol_kind {
    WARPLD_SYMBOL_OTHER = 0,
    WARPLD_SYMBOL_KERNEL = 1,
    WARPLD_SYMBOL_FUNCTION = 2,
    WARPLD_SYMBOL_GLOBAL = 3,   /* a variable in global memory, managed or not */
    WARPLD_SYMBOL_CONSTANT = 4, /* a variable in constant memory */
    WARPLD_SYMBOL_SHARED = 5,   /* a variable in shared memory. An executable has such symbols only
                                   with `debug` or `preserve_relocations` */
    WARPLD_SYMBOL_LOCAL = 6,    /* a variable in local memory */
    WARPLD_SYMBOL_TEXTURE = 7,  /* a texture, sampler or surface */
};

/* A named symbol of the output; section symbols are not listed. */
struct warpld_symbol {
    size_t size;         /* size of this structure in bytes; the caller sets it */
    const char *name;    /* mangled */
    const char *section; /* name of the symbol's section in the output, or NULL */
    /* The input that defines the symbol. For an undefined symbol, the first input that refers to
     * it. NULL if the linker defines the symbol. */
    const char *input;
    uint64_t address; /* address in the memory space; for a function, the offset in its section */
    uint64_t bytes;   /* size of the symbol */
    uint32_t index;   /* number of the symbol in .symtab */
    enum warpld_symbol_kind kind;
    bool is_local;   /* binding LOCAL */
    bool is_weak;    /* binding WEAK */
    bool is_defined; /* the output defines the symbol */
};

/* Describes the named symbol number `index`, in the order of .symtab. There are none unless
 * warpld_run returned WARPLD_OK and the target is real. Returns WARPLD_ERROR_MEMORY, which is
 * reported, if memory runs out. */
WARPLD_API enum warpld_status warpld_get_symbol(struct warpld_link *link, size_t index,
                                                struct warpld_symbol *symbol);

/* The resources that one launch of a kernel uses. With warpld_options.relocatable, those that the
 * kernel's own code uses, without the functions that it calls. Sizes are in bytes. */
struct warpld_kernel {
    size_t size;        /* size of this structure in bytes; the caller sets it */
    const char *name;   /* mangled */
    const char *input;  /* the input that defines the kernel */
    uint32_t registers; /* registers of each thread */
    uint32_t barriers;  /* named barriers */
    /* Stack of each thread. If is_stack_known is false, only the frame of the kernel itself. */
    uint64_t stack_bytes;
    uint64_t shared_bytes;    /* static shared memory of each block */
    uint64_t constant_bytes;  /* size of the kernel's constant banks, parameters included */
    uint64_t local_bytes;     /* static local memory of each thread, besides the stack */
    uint64_t parameter_bytes; /* size of all parameters of a launch */
    bool is_stack_known;      /* false if recursion makes the depth of the stack unknown */
    uint32_t own_registers;   /* registers that the kernel's own code uses */
    /* Mangled name of a function because of which the kernel needs `registers` registers. NULL if
     * the kernel's own code needs them, or if no such function is known. */
    const char *registers_by;
    uint32_t registers_by_number; /* number of the function `registers_by` for warpld_get_function;
                                     UINT32_MAX if `registers_by` is NULL */
    uint32_t function_number;     /* number of the kernel for warpld_get_function */
};

/* Describes the kernel number `index`, in the order in which the kernels were read. There are none
 * unless warpld_run returned WARPLD_OK. Returns WARPLD_ERROR_MEMORY, which is reported, if memory
 * runs out. */
WARPLD_API enum warpld_status warpld_get_kernel(struct warpld_link *link, size_t index,
                                                struct warpld_kernel *kernel);

/* Sets *data and *size (in bytes) to the output. There is an output after warpld_run returned
 * WARPLD_OK or, if warpld_options.output_undefined is set, also after WARPLD_ERROR_LINK. The output
 * belongs to the link and is valid until warpld_destroy; later calls return the same bytes.
 *
 * Errors, with *data and *size unchanged:
 * - WARPLD_ERROR_ARGUMENT: a null pointer, or there is no output. Not reported.
 * - WARPLD_ERROR_FATAL, WARPLD_ERROR_MEMORY: reported.
 * - WARPLD_ERROR_LINK: making the output caused a warning, and warnings_are_errors makes it an
 *   error. Reported. */
WARPLD_API enum warpld_status warpld_output(struct warpld_link *link, const void **data,
                                            size_t *size);

/* Writes the output to a file, after warpld_run returned WARPLD_OK; may be called more than once. A
 * device or pipe is written directly. A regular file is replaced by a rename or, where that is
 * impossible, overwritten.
 *
 * A failure leaves an existing file unchanged, with two exceptions. If overwriting fails and the
 * old bytes cannot be written back, the file is left empty. With durable_output, if only the last
 * wait for the disk fails, the file has the new bytes.
 *
 * Errors:
 * - WARPLD_ERROR_ARGUMENT: a null pointer, or there is no output. Not reported.
 * - WARPLD_ERROR_OUTPUT: the file cannot be written. Reported, with the system's reason as a note.
 * - WARPLD_ERROR_FATAL: the output cannot be made. Reported.
 * - WARPLD_ERROR_LINK: as from warpld_output. */
WARPLD_API enum warpld_status warpld_write(struct warpld_link *link, const char *path);

/* The form of a log. */
enum warpld_log_form {
    WARPLD_LOG_TEXT = 0, /* one line for each message, such as "error   : TEXT" */
    WARPLD_LOG_JSON = 1, /* one JSON object for each message, on one line, in UTF-8. Its members are
                            severity, code, text, input, symbol and section (texts or null), and
                            notes (an array of such objects) */
};

/* Sets *text to all diagnostics of the link so far, as one text. Needs warpld_options.keep_log. May
 * be called at any time, also after a failure. A NUL follows the *size bytes of the text. Each call
 * makes a new text, which is valid until warpld_destroy. Messages for which memory ran out are
 * missing.
 *
 * Errors:
 * - WARPLD_ERROR_ARGUMENT: a null pointer or an unknown form. Not reported.
 * - WARPLD_END: no log is kept. *text is set to NULL. Not reported.
 * - WARPLD_ERROR_MEMORY: *text is set to NULL. Reported. */
WARPLD_API enum warpld_status warpld_get_log(struct warpld_link *link, enum warpld_log_form form,
                                             const char **text, size_t *size);

/* Fills in the counts of a link in any state: before or after warpld_run, even if the link failed.
 * Before warpld_run the counts of the output are 0. */
WARPLD_API enum warpld_status warpld_get_statistics(const struct warpld_link *link,
                                                    struct warpld_statistics *statistics);

/* --------------------------------------------------------------------------------------------- */
/* What is in the output, and why                                                                */

/* The queries of this section describe a link whose warpld_run returned WARPLD_OK and whose target
 * is real. For any other link they return WARPLD_END. They cost time and memory only if they are
 * called. Indices start at 0; calls with ascending indices are fast. All of these queries return
 * WARPLD_ERROR_MEMORY, which is reported, if memory runs out. */

/* Memory spaces of the GPU. */
enum warpld_space {
    WARPLD_SPACE_NONE = 0, /* the bytes are in the file, but not in a memory of the GPU */
    WARPLD_SPACE_CODE = 1,
    WARPLD_SPACE_CONSTANT = 2,
    WARPLD_SPACE_GLOBAL = 3,
    WARPLD_SPACE_SHARED = 4,
    WARPLD_SPACE_LOCAL = 5,
};

/* What a piece of the output is. */
enum warpld_piece_kind {
    WARPLD_PIECE_FILE_HEADER = 0,
    WARPLD_PIECE_SECTION = 1,
    WARPLD_PIECE_PADDING = 2, /* between sections */
    WARPLD_PIECE_SECTION_HEADERS = 3,
    WARPLD_PIECE_PROGRAM_HEADERS = 4,
    /* The next three kinds are parts of the WARPLD_PIECE_SECTION that precedes them. */
    WARPLD_PIECE_INPUT = 5,     /* bytes of an input section */
    WARPLD_PIECE_GENERATED = 6, /* bytes that the linker made, or memory that it reserves */
    WARPLD_PIECE_GAP = 7,       /* bytes between two parts, or after the last part */
    /* A function or variable within the preceding part. */
    WARPLD_PIECE_SYMBOL = 8,
};

/* A piece of the output. The pieces of the kinds up to WARPLD_PIECE_PROGRAM_HEADERS cover each byte
 * of the file once, in order. The parts of a section cover the bytes that the section has in the
 * file. If a section consists of one part, the part is not listed: the piece of the section has the
 * part's `input` and `symbol`. The parts of a section of shared memory are its variables; variables
 * of different kernels may overlap. */
struct warpld_piece {
    size_t size; /* size of this structure in bytes; the caller sets it */
    enum warpld_piece_kind kind;
    enum warpld_space space;
    int bank;            /* number of the constant bank; -1 in other spaces */
    const char *section; /* name of the section of the output, or NULL */
    /* The input of the piece: name of a file, or of a member as in "libx.a:member.o". NULL if the
     * linker made the piece. For a function that link-time optimisation made, "lto.cubin:a.cu" if
     * the line table names the source file a.cu, else "lto.cubin". */
    const char *input;
    /* Name of the input section. NULL if it is the same as `section`, or if there is no input
     * section. */
    const char *input_section;
    const char *symbol; /* mangled name, if the piece is a function or variable; else NULL */
    /* Mangled name of the function to which the section belongs, or NULL. For a shared variable, a
     * function that uses the variable. */
    const char *function;
    uint64_t offset; /* offset in the file */
    /* Size in the file; 0 if memory is only reserved, or if shares_bytes is set. */
    uint64_t file_bytes;
    uint64_t address;         /* offset in the section of the output */
    uint64_t bytes;           /* size in memory */
    uint64_t alignment;       /* 0 if it is not known */
    uint32_t function_number; /* number of `function` for warpld_get_function; UINT32_MAX: none */
    bool has_parts;           /* the piece is a section; the pieces after it are its parts */
    bool shares_bytes;        /* at `offset` in the file are the bytes of another section, which the
                                 piece shares */
};

/* Describes the piece number `index`, in the order of the file. If `index` is less than in the
 * previous call, the search starts again at the beginning, which takes time. Strings are valid
 * until warpld_destroy. */
WARPLD_API enum warpld_status warpld_get_piece(struct warpld_link *link, size_t index,
                                               struct warpld_piece *piece);

/* The reason why a function, a variable or an input is not in the output. */
enum warpld_removal {
    WARPLD_REMOVED_UNREFERENCED = 0,       /* a function or variable that no kept kernel reaches */
    WARPLD_REMOVED_NO_HOST_REFERENCE = 1,  /* a kernel that no host code refers to */
    WARPLD_REMOVED_NOT_USED_BY_OPTION = 2, /* a kernel that no pattern of kernels_used matches */
    WARPLD_REMOVED_BY_STRONG = 3,          /* a weak definition, because a strong one is used */
    WARPLD_REMOVED_BY_WEAK = 4,            /* a weak definition that a better weak one superseded */
    WARPLD_REMOVED_DUPLICATE = 5,          /* a weak definition, because an earlier one is used */
    WARPLD_REMOVED_UNUSED_INPUT = 6, /* a whole input: the device runtime, if nothing uses it, or an
                                        object that another input contains in linked form */
};

/* A function, a variable or a whole input that is not in the output. */
struct warpld_removed {
    size_t size;      /* size of this structure in bytes; the caller sets it */
    const char *name; /* mangled; NULL for a whole input */
    const char *input;
    const char *used; /* the input whose definition is used instead, or NULL */
    enum warpld_symbol_kind kind;
    enum warpld_removal reason;
    uint64_t bytes; /* size of the function, variable or input in the input file */
};

/* Describes the removed function, variable or input number `index`, in the order of the inputs. */
WARPLD_API enum warpld_status warpld_get_removed(struct warpld_link *link, size_t index,
                                                 struct warpld_removed *removed);

/* How an input mentions a symbol and, if the input defines the symbol, how the link used this
 * definition. */
enum warpld_mention_kind {
    WARPLD_MENTION_REFERENCE = 0,  /* the input refers to the symbol and does not define it */
    WARPLD_MENTION_USED = 1,       /* the input's definition is used */
    WARPLD_MENTION_DISCARDED = 2,  /* the input's definition was discarded, because an earlier one
                                      is used */
    WARPLD_MENTION_SUPERSEDED = 3, /* the input's definition was used until a later one superseded
                                      it */
    WARPLD_MENTION_COMMON = 4,     /* the input's common definition was joined with the others */
};

/* A mention: one input that mentions one symbol. */
struct warpld_mention {
    size_t size;      /* size of this structure in bytes; the caller sets it */
    const char *name; /* mangled */
    const char *input;
    const char *used; /* the input whose definition is used, or NULL */
    enum warpld_mention_kind mention;
    enum warpld_symbol_kind kind;
    bool is_local; /* binding LOCAL: other inputs cannot refer to this symbol */
    bool is_weak;
    bool is_removed;   /* the symbol is not in the output */
    bool is_of_linker; /* the linker defines the symbol, whether or not anything refers to it */
    uint64_t bytes;    /* size of the symbol, if the input defines it */
};

/* Describes the mention number `index`, in the order of the inputs and, within an input, of its
 * symbol table. */
WARPLD_API enum warpld_status warpld_get_mention(struct warpld_link *link, size_t index,
                                                 struct warpld_mention *mention);

/* A function of the inputs. The number of a function is also the number of its node in the call
 * graph. */
struct warpld_function {
    size_t size;      /* size of this structure in bytes; the caller sets it */
    const char *name; /* mangled */
    /* The input that defines the function. For an undefined function, the first input that refers
     * to it. */
    const char *input;
    bool is_kernel; /* declared as a kernel, which the host can launch if is_kept is set */
    bool is_kept;
    bool is_defined;
    bool is_address_taken;
    bool is_local;
    uint32_t registers;   /* registers per thread that the function's own code uses */
    uint64_t frame_bytes; /* stack that one call takes, without the function's callees */
    uint64_t code_bytes;  /* size of the function's code; 0 if is_kept is false */
};

/* Describes the function number `index`, in the order in which the functions were read. */
WARPLD_API enum warpld_status warpld_get_function(struct warpld_link *link, size_t index,
                                                  struct warpld_function *function);

/* Fills in the same structure that warpld_options.call_graph receives. The caller sets `size`. The
 * arrays are valid until warpld_destroy. */
WARPLD_API enum warpld_status warpld_get_call_graph(struct warpld_link *link,
                                                    struct warpld_call_graph *graph);

/* The reason why the symbol of a step is kept, see warpld_get_step. The reason for the first step
 * depends on no other symbol. The reason for any later step says how the symbol of the previous
 * step leads to the symbol of this step ("it"). */
enum warpld_why {
    WARPLD_WHY_KERNEL = 0,            /* all kernels are kept */
    WARPLD_WHY_HOST_REFERENCE = 1,    /* a kernel that host code refers to */
    WARPLD_WHY_KERNELS_USED = 2,      /* a kernel that matches kernels_used */
    WARPLD_WHY_ADDRESS_TAKEN = 3,     /* its address is taken, which keeps a function */
    WARPLD_WHY_OPTION = 4,            /* everything is kept: `debug`, `relocatable` or
                                         preserve_relocations is set */
    WARPLD_WHY_VARIABLE = 5,          /* variables are kept, whether or not code uses them */
    WARPLD_WHY_DRIVER = 6,            /* a unified function, or a name that the driver knows */
    WARPLD_WHY_UNDEFINED = 7,         /* undefined, and kept code refers to it */
    WARPLD_WHY_CALLED = 8,            /* the previous symbol calls it */
    WARPLD_WHY_CALLED_INDIRECTLY = 9, /* the previous symbol makes an indirect call that can reach
                                         it */
    WARPLD_WHY_ALIAS = 10,            /* the previous symbol is an alias of it */
    WARPLD_WHY_USED = 11,             /* the code of the previous symbol refers to this variable */
};

/* One step of the chain that keeps a symbol. */
struct warpld_step {
    size_t size;      /* size of this structure in bytes; the caller sets it */
    const char *name; /* mangled */
    const char *input;
    /* For WARPLD_WHY_ADDRESS_TAKEN, a function that takes the address. NULL if only data takes it,
     * if no such function is known, or if `why` has another value. */
    const char *by;
    enum warpld_why why;
};

/* Describes the step number `index` of a shortest chain that keeps the symbol with the mangled name
 * `symbol`. The chain begins with a symbol that is kept independently of other symbols, such as a
 * kernel. It ends with the named symbol. If several static symbols have the name, the chain is that
 * of the first one that is kept. If no symbol of that name is kept, returns WARPLD_END for index 0;
 * warpld_get_removed may say why.
 *
 * A query takes time proportional to the size of the call graph and, for a variable, to the number
 * of all relocations. If the previous query was about the same symbol, it takes no such time. */
WARPLD_API enum warpld_status warpld_get_step(struct warpld_link *link, const char *symbol,
                                              size_t index, struct warpld_step *step);

/* A resource of a kernel. */
enum warpld_resource {
    WARPLD_RESOURCE_REGISTERS = 0,
    WARPLD_RESOURCE_STACK = 1,
    WARPLD_RESOURCE_SHARED = 2,
};

/* A function or a shared variable because of which a kernel needs a resource, see
 * warpld_get_need. */
struct warpld_need {
    size_t size;      /* size of this structure in bytes; the caller sets it */
    const char *name; /* mangled name of a function or of a shared variable */
    const char *input;
    const char *user; /* name of a function that uses the shared variable, or NULL */
    uint64_t amount;  /* registers of the function, bytes of its frame, or bytes of the variable */
    uint64_t address; /* address of a shared variable */
    bool is_called_indirectly; /* the function of the previous part calls this one through a
                                  pointer */
    bool is_recursive;         /* the function can be called again before it returns */
};

/* Describes the part number `index` of the explanation why a kernel needs its amount of a resource.
 * `kernel` is the kernel's number for warpld_get_kernel. The parts are:
 * - registers: the functions on a chain of calls, from the kernel to the nearest function that uses
 *   as many registers as the kernel needs;
 * - stack: the functions on the deepest chain of calls, with their frames; if there is recursion,
 *   the functions on a chain of calls into a cycle, and those on the cycle;
 * - shared: the variables in the kernel's shared memory, in the order of their addresses. */
WARPLD_API enum warpld_status warpld_get_need(struct warpld_link *link, size_t kernel,
                                              enum warpld_resource resource, size_t index,
                                              struct warpld_need *need);

/* --------------------------------------------------------------------------------------------- */
/* The end                                                                                       */

/* Frees a link and everything that it owns, and unmaps its input files. NULL is allowed. Calls no
 * callback except warpld_options.release, which frees the link's memory. */
WARPLD_API void warpld_destroy(struct warpld_link *link);

#ifdef __cplusplus
}
#endif

#endif
