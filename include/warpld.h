/* warpld.h - the CUDA device linker as a library.
 *
 * libwarpld joins relocatable device code (cubins) into one executable cubin that the CUDA driver
 * loads. The command `warpld` uses nothing but this interface.
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
 * Threads: the library has no global state. Any number of links may exist and run at once; one link
 * must not be used by two threads at the same time.
 *
 * The library never prints, exits, forks, or touches a signal, the locale or the environment. What
 * it has to say goes to the diagnostic callback. A callback may use other links, but not the one
 * that calls it.
 *
 * Compatibility: structures begin with their own size, so that they can grow; enumerators keep
 * their values. A structure that the caller hands over may be shorter than the library's: it is
 * from an older header, and the fields that it lacks count as zero. It may be longer if every byte
 * that the library does not know is zero. Any other size is refused with WARPLD_ERROR_ARGUMENT. */
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

/* The toolkit that an output of ABI version 7 says it is of: 12.9, the last one that wrote it. */
#define WARPLD_TOOLKIT_VERSION_12 129

/* The newest CUDA toolkit whose objects this library links, as toolkits write it: 130 is 13.0. */
#define WARPLD_TOOLKIT_VERSION 130

/* With warpld_options.allow_newer_toolkit the newest one whose objects it knows. */
#define WARPLD_NEWEST_TOOLKIT_VERSION 135

/* True for the name of a real target such as "sm_90a"; options.architecture takes virtual ones,
 * too. */
WARPLD_API bool warpld_knows_architecture(const char *name);

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

enum warpld_status {
    WARPLD_OK = 0,
    WARPLD_ERROR_ARGUMENT = 1, /* a null pointer, a bad option, a call out of order */
    /* A fatal diagnostic was reported: an input that cannot be used, definitions that contradict
     * each other, no such target. Nothing was linked. */
    WARPLD_ERROR_FATAL = 2,
    WARPLD_ERROR_LINK = 3,   /* the inputs do not make a program: undefined symbols, limits, ... */
    WARPLD_ERROR_MEMORY = 4, /* out of memory; the link can only be destroyed */
    WARPLD_ERROR_OUTPUT = 5, /* the output could not be written; an older file is untouched */
    WARPLD_END = 6,          /* no error: there is no element of this index */
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
/* PTX                                                                                           */

/* A PTX text that is to become a relocatable cubin. Everything lives during the call only. */
struct warpld_compile_request {
    size_t size;      /* of this structure, as the library knows it */
    const char *name; /* of the input, for messages */
    const char *ptx;  /* ptx_size bytes, without a NUL at the end */
    size_t ptx_size;
    const char *architecture; /* the target, e.g. "sm_90a"; "sm_100" for sm_100f */
    bool debug;               /* the link keeps debug information */
    const char *options; /* of the compiler, that a fat binary records with the text, such as "-O1
                            -lineinfo"; NULL for none. Whoever wrote the input chose them. */
    bool is_input;       /* the text is an input, not a part of one */
};

struct warpld_compile_result {
    size_t size;       /* of this structure, as the library knows it */
    const void *cubin; /* NULL: it could not be compiled, and a callback tells why */
    size_t cubin_size;
    const char *problem; /* without a cubin: the link's fatal message; NULL for a general one */
};

/* Compiles all PTX of a link, in one call: fills results[i] for requests[i]. May work on several at
 * once. The library compiles nothing itself and starts no process. */
typedef void warpld_compile_callback(void *context, const struct warpld_compile_request *requests,
                                     struct warpld_compile_result *results, size_t count);

/* Passes on what the compiler had to say of requests[index]. Called for one after the other, each
 * behind the link's messages about inputs before it, up to the first that could not be compiled. */
typedef void warpld_tell_compiled_callback(void *context, size_t index);

/* Called when the library has copied the cubins. */
typedef void warpld_release_callback(void *context, struct warpld_compile_result *results,
                                     size_t count);

/* --------------------------------------------------------------------------------------------- */
/* The call graph                                                                                */

struct warpld_graph_function {
    const char *name;        /* mangled */
    bool is_removed;         /* nothing can call it: it is not in the output and calls nothing */
    bool is_entry;           /* a kernel that was not made a mere function */
    bool is_address_taken;   /* calls through pointers can reach it */
    bool has_register_count; /* functions without a definition have none */
    unsigned register_count; /* of its own code */
};

/* Who calls whom. Nodes are the functions in the order in which they were read, and behind them one
 * node for each prototype of calls through pointers; a caller calls that node, and the node calls
 * what such a call can reach. The callees of node n are
 *     callees[callees_start[n]] up to, without it, callees[callees_start[n + 1]].
 * A function can be there several times. Everything lives during the callback only. */
struct warpld_call_graph {
    size_t size;              /* of this structure, as the library knows it */
    const char *architecture; /* the target, e.g. "sm_90" */
    size_t objects_count;     /* that take part in the link */
    const struct warpld_graph_function *functions;
    uint32_t functions_count;
    uint32_t nodes_count;
    const uint32_t *callees_start;
    const uint32_t *callees;
};

typedef void warpld_call_graph_callback(void *context, const struct warpld_call_graph *graph);

/* A kernel starts with as many registers as the function that it reaches needs. The names are
 * mangled. */
struct warpld_raised_registers {
    size_t size; /* of this structure, as the library knows it */
    const char *kernel;
    const char *function;
    unsigned register_count;
};

typedef void warpld_raised_registers_callback(void *context,
                                              const struct warpld_raised_registers *raised);

/* --------------------------------------------------------------------------------------------- */
/* The trace                                                                                     */

/* What is told of the passes; bits of warpld_options.trace. */
enum warpld_trace {
    WARPLD_TRACE_MERGE = 1,    /* what becomes of copies of names, and of sections */
    WARPLD_TRACE_LAYOUT = 2,   /* where variables and constants come to be */
    WARPLD_TRACE_RELOCATE = 4, /* relocations that follow what was moved, or go */
    WARPLD_TRACE_UNIFIED = 8,  /* unified functions and data */
    WARPLD_TRACE_INFO = 16,    /* attributes */
    WARPLD_TRACE_ALL = 31,
};

/* One line. The text lives only during the callback. The lines are for people: their words may
 * change from version to version. */
struct warpld_trace_line {
    size_t size; /* of this structure, as the library knows it */
    enum warpld_trace category;
    const char *text; /* without a newline */
};

typedef void warpld_trace_callback(void *context, const struct warpld_trace_line *line);

/* --------------------------------------------------------------------------------------------- */
/* Statistics                                                                                    */

/* A pass of the link begins; the one before it has ended. */
typedef void warpld_pass_callback(void *context, const char *pass);

/* Numbers about a link, as far as it has come. */
struct warpld_statistics {
    size_t size; /* of this structure; set it before the call */
    size_t files;
    uint64_t input_bytes; /* of the files, whatever is in them */
    size_t objects;       /* device code that is linked */
    size_t input_sections;
    size_t relocations; /* of the objects */
    size_t names;
    size_t functions;
    size_t kernels; /* that stay */
    size_t output_sections;
    size_t output_symbols;
    uint64_t output_bytes;
    size_t memory; /* bytes that the link has taken from the system */
};

/* --------------------------------------------------------------------------------------------- */
/* Options                                                                                       */

struct warpld_options {
    size_t size; /* sizeof(struct warpld_options): WARPLD_OPTIONS_INIT sets it */

    /* Target, e.g. "sm_90" or "sm_90a". Required. For "compute_90" the driver links, from PTX:
     * inputs are checked and listed, and there is no output. */
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

    /* Warn about functions whose address is taken and that nothing can call. */
    bool extra_warnings;

    /* Keep only the kernels whose symbol contains one of these strings, in which a star stands for
     * anything, and what they reach. Count 0 keeps all kernels. */
    const char *const *kernels_used; /* none of these, and of the lists below, is NULL */
    size_t kernels_used_count;

    /* As nvlink: with these alone no kernel counts as used. Variables are never removed. */
    const char *const *variables_used;
    size_t variables_used_count;

    /* Host objects say which kernels the host code refers to; the others are removed where all
     * inputs say so, unless this is set. */
    bool ignore_host_references;

    /* What the tool note of the output records: the command line (NULL: the target only) and the
     * name of the output (NULL: none, as nvlink without -g). */
    const char *recorded_options;
    const char *recorded_output;

    /* Compiles PTX among the inputs; without it such an input ends the link. */
    warpld_compile_callback *compile;
    warpld_release_callback *release_compiled; /* may be NULL */
    void *compile_context;

    /* Folders in which warpld_add_library looks, in this order. The environment has no say. */
    const char *const *library_paths;
    size_t library_paths_count;

    /* Leave out objects that another input says it holds in linked form, as compilers want it that
     * register linked objects (see warpld_get_linked_object). */
    bool skip_linked_before;

    /* Keep the device runtime (a path with "libcudadevrt") when nothing refers to it. */
    bool keep_system_libraries;

    /* Do not warn about inputs without code for the target. */
    bool suppress_arch_warning;

    /* It is no error when there is device code among the inputs, but none for the target. */
    bool allow_empty;

    /* Leave variables that nothing defines undefined, without an error. */
    bool allow_undefined_globals;

    /* What the section .nv.host carries, or NULL for no such section. Not copied: it must stay
     * unchanged until warpld_destroy. */
    const void *host_data;
    size_t host_size;

    /* The e_machine of the host's processor: libraries for another one are not taken. 0 takes all.
     */
    unsigned host_machine;

    /* As nvlink: inputs that hold nothing to link are passed over in silence, and a kernel's
     * unknown stack size is warned of once for each call that makes it so, not once for the kernel.
     */
    bool as_nvlink;

    /* Link objects of toolkits newer than WARPLD_TOOLKIT_VERSION, as the nvlink of the newest of
     * them does. Those of toolkits newer than WARPLD_NEWEST_TOOLKIT_VERSION can hold what this
     * library does not know: for targets up to sm_90a they are linked with a warning, for later
     * ones they are refused. Without this all are refused. */
    bool allow_newer_toolkit;
    /* Keep address 0 of shared memory unused, so that no variable has the address of a null
     * pointer.
     */
    bool reserve_null_pointer;

    /* Keep no bytes of shared memory for the system (it keeps some from sm_90 on). */
    bool no_shared_reservation;

    /* Give every relocation of the output an addend of its own. */
    bool force_addends;

    /* Leave out debug information. */
    bool no_debug_info;

    /* Receive the call graph, once it is known which names nothing defines, and then whose register
     * counts kernels are raised to. Either may be NULL. */
    warpld_call_graph_callback *call_graph;
    warpld_raised_registers_callback *raised_registers;
    void *call_graph_context;

    /* Make an object that can be linked again instead of an executable: everything of all inputs
     * stays, names may be undefined, and memory gets its places in the final link. */
    bool relocatable;

    /* List the relocations that the link resolves in sections of their own, .nv.resolvedrela.X.
     * Functions that nothing calls stay, and shared variables keep their names. */
    bool preserve_relocations;

    /* How many threads a large link may use; 0 counts as 1. The output is the same for any number.
     * Callbacks are called on the caller's thread only. */
    unsigned threads;

    /* Told when a pass begins; may be NULL. */
    warpld_pass_callback *pass_begins;
    void *pass_context;

    /* The index file of unified functions and variables: where each has its place, the same in
     * every program that is linked with it. NULL for none; such functions and variables are refused
     * then. Not copied: it must stay unchanged until warpld_destroy. */
    const void *unified_index;
    size_t unified_index_size;

    /* Give equal constants that the compiler made for a kernel's code one place, where no kernel's
     * bank grows by it. Constants with names are the host's to write: they are never merged. With
     * relocatable warpld_run returns WARPLD_ERROR_ARGUMENT: the final link does it. */
    bool merge_constants;

    /* Leave out constants that no code or data refers to, but those that host objects or
     * variables_used name. Host code that asks the driver for others by name finds them no more.
     * Nothing goes with debug. Not with relocatable, as merge_constants. */
    bool remove_unused_constants;

    /* Receives lines about what the link does, of the categories whose bits are set; may be NULL.
     * They are the same for the same inputs. */
    unsigned trace;
    warpld_trace_callback *trace_line;
    void *trace_context;

    /* The ABI version of the output. 0 or 8: that of CUDA 13, also for objects of CUDA 12, as
     * nvlink 13.0 does. 7: that of CUDA 12, which its drivers load; for targets up to sm_90a, and
     * objects of CUDA 13 are refused. */
    unsigned output_abi;

    /* NULL: `compile` has passed everything on itself, before the link's own messages. */
    warpld_tell_compiled_callback *tell_compiled;

    /* Kernels may have as much static shared memory as the target has for one block, and not 48 KB
     * alone. */
    bool extended_shared;
};

/* An initializer with the size in it and nothing asked for. C++ has designated initializers since
 * C++20 only. */
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

struct warpld_link;

/* Creates a link and stores it in *link. Copies the options (strings included). A bad architecture
 * is reported by warpld_run. On failure *link is NULL, and the status is
 *     WARPLD_ERROR_ARGUMENT  for a null pointer or a size of the options that no version has;
 *     WARPLD_ERROR_ARGUMENT  for options that this version does not know, also reported to
 *                            options->diagnostic;
 *     WARPLD_ERROR_MEMORY    also reported to options->diagnostic. */
WARPLD_API enum warpld_status warpld_create(const struct warpld_options *options,
                                            struct warpld_link **link);

/* Adds an input held in memory: a cubin, a fat binary, a host object with device code, an archive
 * of such, or PTX text. It is recognised by its content. The bytes are not copied and must stay
 * unchanged until warpld_destroy. `name` (copied) is what diagnostics call it. Inputs are linked in
 * the order in which they are added; the order shows in the output. No file is read for it: the
 * members of a thin archive are reported as unreadable. */
WARPLD_API enum warpld_status warpld_add_memory(struct warpld_link *link, const char *name,
                                                const void *data, size_t size);

/* Adds an input file. warpld_run reads it and reports one that cannot be read, when its turn comes,
 * as it does any other unusable input; it must stay unchanged until warpld_destroy. */
WARPLD_API enum warpld_status warpld_add_file(struct warpld_link *link, const char *path);

/* Adds the archive libNAME.a from the first of options.library_paths that has it, but none if any
 * of them has libNAME.so. Libraries are linked behind all other inputs. It is no error when none
 * has it: compilers name libraries that hold no device code. */
WARPLD_API enum warpld_status warpld_add_library(struct warpld_link *link, const char *name);

/* Links all inputs. May be called once. WARPLD_ERROR_ARGUMENT for options that exclude each other.
 */
WARPLD_API enum warpld_status warpld_run(struct warpld_link *link);

/* An object among the inputs that takes part in the link, whether or not it has code for the
 * target: host code must register each of them. */
struct warpld_linked_object {
    size_t size;           /* of this structure; set it before the call */
    const char *name;      /* a file, or "libx.a:member.o" */
    const char *module_id; /* by which nvcc's code knows it; NULL for what is no host object */
};

/* The objects in the order of linking, after warpld_run. WARPLD_END when there is none of that
 * index. */
WARPLD_API enum warpld_status warpld_get_linked_object(const struct warpld_link *link, size_t index,
                                                       struct warpld_linked_object *object);

/* How a file came into the link. */
enum warpld_file_kind {
    WARPLD_FILE_INPUT = 0,   /* added, from memory too */
    WARPLD_FILE_LIBRARY = 1, /* found by warpld_add_library, or passed over there as incompatible */
    WARPLD_FILE_MEMBER = 2,  /* named by a thin archive; known after warpld_run */
};

/* A file that the link has read, with the bytes that it saw. Asked for before warpld_run they are
 * kept, whatever becomes of the file; else a link of many files on threads reads it again. */
struct warpld_read_file {
    size_t size; /* of this structure; set it before the call */
    enum warpld_file_kind kind;
    const char *path;
    const void *data; /* lives until warpld_destroy; NULL for an empty file */
    size_t data_size;
    size_t archive; /* of a MEMBER: index of its archive, else its own index */
    size_t same_as; /* of an archive: index of the first that is the same file, else its own; such
                       files are linked once */
    bool missing;   /* it could not be read, which was an error; or not again as it was */
};

/* All files: inputs in the order in which they were added, then libraries in theirs, then others,
 * of which members of thin archives come last, in the order of their archives. Before warpld_run it
 * reads those that were added; also for a link that failed. WARPLD_END when there is none of that
 * index. */
WARPLD_API enum warpld_status warpld_get_read_file(struct warpld_link *link, size_t index,
                                                   struct warpld_read_file *file);

/* The executable cubin, after warpld_run returned WARPLD_OK. It belongs to the link and lives until
 * warpld_destroy. Returns WARPLD_ERROR_ARGUMENT, and sets nothing, when there is no output. */
WARPLD_API enum warpld_status warpld_output(struct warpld_link *link, const void **data,
                                            size_t *size);

/* Writes the output to a file: a regular file is replaced by a rename, so that a failure leaves an
 * older one as it was; a device or pipe is written straight. */
WARPLD_API enum warpld_status warpld_write(struct warpld_link *link, const char *path);

/* Numbers about the link so far. */
WARPLD_API enum warpld_status warpld_get_statistics(const struct warpld_link *link,
                                                    struct warpld_statistics *statistics);

/* Frees everything. NULL is allowed. */
WARPLD_API void warpld_destroy(struct warpld_link *link);

#ifdef __cplusplus
}
#endif

#endif
