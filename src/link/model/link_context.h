/* The state of one link and the passes over it.
 *
 * Data goes one way: inputs (validated, read-only views) -> plan (symbols, functions, output
 * sections as lists of chunks) -> bytes. Inputs have `input` in their names, what is made from them
 * `output`. Each pass is a file named after it; its head says what it requires, makes and freezes.
 *
 * Order is part of the result: sections, symbols and strings stand in the order in which the merge
 * creates them, so every list here is in reading order (inputs in the order they were added) or in
 * creation order, never in the order of a hash or a pointer. */
#ifndef WARPLD_LINK_MODEL_LINK_CONTEXT_H
#define WARPLD_LINK_MODEL_LINK_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/name_table.h"
#include "base/page_feeder.h"
#include "base/parallel.h"
#include "base/trace.h"
#include "format/architecture.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/relocation.h"
#include "link/input/held_messages.h"
#include "link/model/callgraph.h"
#include "link/model/inputs.h"
#include "link/model/kernel_set.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* Inputs                                                                                        */

/* What became of a definition in one object. */
enum copy_state {
    COPY_NONE,     /* not a definition */
    COPY_USED,     /* the definition of the program */
    COPY_REJECTED, /* lost when it was read: leaves nothing but bytes in shared sections */
    COPY_REPLACED, /* was accepted and lost to a later one: its place and call edges stay */
};

/* When it was read, whatever became of it. A weak function has the place of the first such copy. */
static inline bool copy_is_accepted(uint8_t copy)
{
    return copy == COPY_USED || copy == COPY_REPLACED;
}

/* A variable that left its input section's bytes; see repack.c. */
struct moved_variable {
    uint64_t input_offset;
    uint64_t size;
    uint64_t offset; /* in the output section */
    bool lost;       /* is not in the output */
};

/* Where an input section went: the output section and the offset of its bytes in it. */
struct contribution {
    struct output_section *section; /* NULL: nowhere, or not yet */
    uint64_t offset : 63;
    uint64_t set_aside : 1; /* in a place that only merge_constant and layout_constant know */
};

/* What became of the bytes of an input section that did not stay together. */
struct moved_bytes {
    const struct moved_variable *pieces; /* by input_offset; NULL: the bytes stay together */
    size_t count;
};

/* What the copies of a weak function are compared by. */
struct weak_facts {
    uint32_t registers;
    bool relocated;          /* its code has relocations */
    uint64_t parameter_bank; /* size of a kernel's */
    bool parameters_differ;  /* from those of the kernel's other copy; not yet reported */
};

/* Bytes of a weak variable that was rejected; see rejected_places.h. */
struct rejected_place {
    uint32_t section;
    uint64_t start, end;
};

/* A relocatable device object: a cubin among the inputs, or the image chosen from a fat binary. */
struct input_object {
    const char *name; /* what messages call it */
    struct bytes file;
    struct input_unit *unit; /* that it comes from */
    struct elf_view elf;
    bool fits;         /* it is sound and for the target */
    uint32_t position; /* among the objects, in the order of linking */
    uint16_t virtual_sm;
    uint16_t toolkit;
    struct symbol **symbols;            /* by symbol index; NULL for section and untyped symbols */
    uint8_t *copies;                    /* enum copy_state by symbol index */
    struct contribution *contributions; /* by section index */
    struct moved_bytes *moved;          /* by section index; made on demand */
    struct weak_facts *weak_facts;      /* by symbol index; made on demand, see weak.c */
    GROWING_ARRAY(struct rejected_place, rejected_places); /* ascending */
    uint32_t *other_view;          /* by section index: its form in the other view, 0 none */
    uint32_t *mercury_relocations; /* by index of a native section: those of its twin */
    uint32_t compiler_constants;   /* symbols of them read so far */
    uint64_t **tables;             /* by section index: where jump tables begin; see apply.c */
    bool has_shared;               /* refers to file-scope or extern shared memory */
    bool has_textures;
    bool has_rejected; /* some copy in it was rejected */
};

/* The bytes went in pieces, which this sorts and which must live as long as the link. */
void contribution_move(struct arena *arena, struct input_object *object, uint32_t section,
                       struct moved_variable *pieces, size_t count);

/* They stay together after all. */
static inline void contribution_stay(struct input_object *object, uint32_t section)
{
    if (object->moved)
        object->moved[section] = (struct moved_bytes){NULL, 0};
}

static inline bool contribution_is_moved(const struct input_object *object, uint32_t section)
{
    return object->moved && object->moved[section].pieces;
}

/* The piece of moved bytes that has this one; NULL when none has. */
const struct moved_variable *contribution_piece(const struct input_object *object, uint32_t section,
                                                uint64_t input_offset);

/* Where a byte of the input section went. False when it went nowhere. */
bool contribution_offset_in_pieces(const struct input_object *object, uint32_t section,
                                   uint64_t input_offset, uint64_t *offset);
static inline bool contribution_offset(const struct input_object *object, uint32_t section,
                                       uint64_t input_offset, uint64_t *offset)
{
    *offset = object->contributions[section].offset + input_offset;
    return !contribution_is_moved(object, section) ||
           contribution_offset_in_pieces(object, section, input_offset, offset);
}

/* A section of data about functions. */
struct function_data_input {
    const struct input_object *object;
    const struct elf_section *section;
};

/* A section and its object. */
struct section_input {
    struct input_object *object;
    const struct elf_section *section;
};

/* --------------------------------------------------------------------------------------------- */
/* The link                                                                                      */

/* How far the link is; the list of passes in link.c says which stage each needs and makes. */
enum link_stage {
    STAGE_INPUTS,    /* inputs are being added */
    STAGE_RESOLVED,  /* frozen: inputs, which definition each name has */
    STAGE_COLLECTED, /* frozen: which functions stay */
    STAGE_MERGED,    /* frozen: which output section each input section goes to */
    STAGE_LAID_OUT,  /* frozen: addresses in every memory space */
    STAGE_SCANNED,   /* frozen: sections, and sizes of all but the tables of the file itself */
    STAGE_INDEXED,   /* frozen: section, symbol and string indices, file offsets */
    STAGE_READY,     /* the same, and the link has succeeded: the bytes can be made */
    STAGE_WRITTEN,
};

/* Compiler-made constants of a device function: its own_constants. */
struct constant_block {
    struct function *function;
    int bank;
};

/* A LOAD_CACHE_REQUEST record. */
struct cache_request {
    const struct symbol *symbol;
    bool wanted;
};

/* What `.nv.compat` of all objects comes to; see compat.c. */
enum { COMPAT_CODES = 16 };
struct compat {
    uint64_t values[COMPAT_CODES]; /* by code */
    uint32_t seen;                 /* bits by code: some object has it */
    uint32_t lacking;              /* some object with the section has not */
    uint8_t order[COMPAT_CODES];
    uint32_t count;
};

/* A file, whatever its paths; its name here is a struct file_identity. */
struct known_file {
    struct name name;
    struct input_file *member;             /* what thin archives share; NULL: none names it */
    const struct input_file *first_listed; /* of an archive, see read_files.c */
    bool is_opened_archive;
};

/* The first of a name; see function_first_static. */
struct static_function {
    struct name name;
    struct function *function;
};

/* Functions of the object whose native debug sections are read, see debug_registers.c. */
struct debug_functions {
    const struct input_object *object;
    struct name_table table;
};

/* The name lives in the public header; inside it is the context of everything. */
struct warpld_link {
    struct arena arena;
    struct page_feeder page_feeder;
    struct diagnostics diagnostics;
    struct trace trace;
    struct warpld_options options; /* copied, strings included */
    const struct architecture *target;
    bool target_is_virtual; /* the driver links, from PTX: inputs are only looked at */
    uint16_t toolkit;       /* the release that is stood in for, see release.h */
    enum link_stage stage;

    /* Files: what was added, and what libraries and archives lead to. */
    GROWING_ARRAY(struct input_file *, files);       /* all that were added */
    size_t files_read;                               /* so many of `files` */
    GROWING_ARRAY(struct input_file *, libraries);   /* found by -l: they come last */
    GROWING_ARRAY(struct input_file *, passed_over); /* libraries of -l for another host */
    GROWING_ARRAY(struct input_file *, opened);      /* members of thin archives */
    struct name_table known_files;                   /* of struct known_file */
    size_t files_numbered[FILE_LISTS];               /* see read_files.c */
    struct name_table missing_libraries;             /* of -l */
    GROWING_ARRAY(struct hidden_library, hidden_libraries);
    struct arena *reader_arenas; /* what threads have made of the inputs */
    size_t reader_arenas_count;
    bool keeps_bytes; /* of the inputs: somebody asks for them */

    /* The device code in them, and what is chosen of it. */
    GROWING_ARRAY(struct input_unit *, units);     /* in the order of the inputs */
    GROWING_ARRAY(struct input_object *, images);  /* what was chosen of each */
    GROWING_ARRAY(struct input_object *, objects); /* those that are linked */
    struct name_table linked_before;               /* module ids of objects linked before */
    GROWING_ARRAY(struct warpld_linked_object, linked);
    uint32_t host_object_count;               /* among the inputs, with and without device code */
    bool has_silent_host_object;              /* some does not say which kernels it refers to */
    bool has_host_references;                 /* host code said which kernels it refers to */
    bool has_broken_input;                    /* the last unit */
    bool has_whole_program;                   /* an object of nvcc -ewp */
    uint16_t whole_program_toolkit;           /* the link's when the first was read */
    bool has_ordinary_object;                 /* one that is none */
    struct held_messages held;                /* while the inputs are taken */
    struct warpld_compile_result *unreleased; /* NULL but while they are copied */
    size_t unreleased_count;

    /* The program: from resolve to gc. */
    struct name_table names;              /* of struct root_name */
    struct name_table used_section_names; /* see linked_names.c */
    struct name_table static_functions;   /* behind a static variable of their name */
    size_t family_names;                  /* beside them, see linked_names.h */
    struct root_name no_prototype;        /* not in the string tables */
    GROWING_ARRAY(struct function *, functions);
    struct arena_row function_row;
    struct arena_row symbol_row;
    struct arena_row name_row;
    struct arena_row record_row;
    GROWING_ARRAY(struct symbol *, commons);
    struct compat compat;
    int fragment_version; /* toolkit of tcgen05 code, by its entry fragments; 0 not known */
    bool has_surfaces;    /* any object has, used or not */
    GROWING_ARRAY(struct section_input, of_variables); /* relocations; in reading order */
    struct callgraph callgraph;
    uint32_t live_entry_count; /* kernels that stay */
    bool precedes_volta;       /* see inputs_precede_volta; from scan on */

    /* The output, and what merge hands out as it walks the objects. */
    struct output output;
    struct unified_index unified_index; /* of options.unified_index */
    struct unified_table unified[UNIFIED_TABLE_KINDS];
    GROWING_ARRAY(struct shared_variable *, shared_variables);
    GROWING_ARRAY(struct symbol *, kept_shared); /* with -r: shared variables in reading order */
    uint64_t shared_file_alignment; /* largest of the variables of .nv_debug.shared, used or not */
    GROWING_ARRAY(struct symbol *, textures);
    GROWING_ARRAY(struct symbol *, constant_sizes); /* stand for the size of the constants */
    GROWING_ARRAY(struct constant_block, set_aside);
    GROWING_ARRAY(struct function_data_input, function_data); /* in reading order */
    GROWING_ARRAY(struct section_input, tool_notes);          /* in reading order */
    struct debug_functions debug_functions;                   /* see debug_registers.c */
    GROWING_ARRAY(struct cache_request, cache_requests);      /* in reading order */
    uint64_t large_parameters; /* KPARAM_INFO_V2 records of all inputs */
    uint32_t records_read;     /* numbers the records of all inputs */
    uint64_t relocation_count; /* of all lists; some are counted more than once */

    /* Addresses, and what kernels need. */
    struct kernel_sets shared_users; /* of the functions that use variables of .nv_debug.shared */
    uint32_t first_texture_slot;     /* offset in constant bank 0 */
    bool has_unused_constants;       /* symbol->referred tells which */
    bool has_relocated_blocks;       /* compiler-made constants, in their Mercury form */
    const uint64_t *stack_needs;     /* by component of the call graph, see stack_notes.h */
    uint32_t errors_before_needs;    /* found before kernels' needs are compared with limits */
    uint32_t limits_explained;       /* broken limits with notes on what breaks them */
    uint32_t cycles_explained;       /* kernels with notes on their recursion */

    /* Bytes. */
    uint8_t *actions; /* what becomes of each relocation; see apply.c */
    struct bytes result;
    GROWING_ARRAY(struct file_window, windows); /* the whole file, in order */
    bool was_written;                           /* at least once */
    atomic_bool has_wrong_size;                 /* some section in it */
    int replaced_file;                          /* see file_replace_made; -1 none */
};

typedef struct warpld_link link_context;

#define ARENA (&link->arena)

/* TRACE(TRACE_NAME, arguments of the row's text ...) where `link` is the link. */
#define TRACE(...)                                                                                 \
    do {                                                                                           \
        if (link->trace.categories)                                                                \
            trace_line(&link->trace, __VA_ARGS__);                                                 \
    } while (0)

/* "sm_90a", or "compute_90a". */
static inline void link_target_name(const link_context *link, char name[16])
{
    if (link->target_is_virtual)
        architecture_virtual_name(link->target, name);
    else
        architecture_name(link->target, name);
}

/* A virtual target takes the code of all older ones (all pairs up to sm_90a with nvlink 13.0.88).
 */
static inline bool link_takes_code_of(const link_context *link, unsigned sm)
{
    return link->target_is_virtual ? sm <= link->target->number
                                   : architecture_runs_code_of(link->target, sm);
}

/* With debug information in it, the output names what only a debugger asks for. */
static inline bool link_is_for_debugger(const link_context *link)
{
    return link->options.debug && !link->options.no_debug_info;
}

/* Shared variables have their symbols in the output. */
static inline bool link_names_shared(const link_context *link)
{
    return link_is_for_debugger(link) || link->options.preserve_relocations;
}

/* From sm_100 on all that concerns code is there twice; see views.h. */
static inline bool link_has_mercury(const link_context *link)
{
    return link->target->code == CODE_MERCURY;
}

/* Without notes; the file header has what they tell. */
static inline bool link_writes_abi_12(const link_context *link)
{
    return link->options.output_abi == ABIVERSION_CUDA_12;
}

/* How many threads take part in work that is worth so many. */
static inline unsigned link_workers(const link_context *link, uint64_t worth)
{
    unsigned wanted = link->options.threads ? link->options.threads : 1;
    unsigned allowed = wanted < PARALLEL_MOST_WORKERS ? wanted : PARALLEL_MOST_WORKERS;
    return worth < 1 ? 1 : worth < allowed ? (unsigned)worth : allowed;
}

/* A whole input section at that offset of its output section. */
static inline struct chunk chunk_of(struct input_object *object, uint32_t section, uint64_t offset)
{
    const struct elf_section *input = &object->elf.sections[section];
    return (struct chunk){object, input, offset, input->size, input->data};
}

/* Bytes at the start of each kernel's shared memory that the system keeps. */
static inline uint64_t link_shared_reserved(const link_context *link)
{
    return link->options.no_shared_reservation ? 0 : link->target->shared_reserved;
}

/* --------------------------------------------------------------------------------------------- */
/* Passes, in the order in which link_run calls them                                             */

void library_search(link_context *link, const char *name); /* called as libraries are added */
void read_inputs(link_context *link); /* those that were added since it was called before */
bool describe_file(link_context *link, size_t index, struct warpld_read_file *file);
void read_unified_index(link_context *link);
void open_inputs(link_context *link);
void load(link_context *link);
void input_file_map(struct input_file *file, struct arena *arena);
void input_file_read(struct input_file *file, uint8_t *buffer, struct arena *arena, int *waiting);
void input_file_wait(struct input_file *file, uint8_t *buffer, struct arena *arena, int waiting);
void note_linked_before(link_context *link, const struct host_object *host);
void skip_linked_units(link_context *link); /* called by open_inputs */
bool was_linked_before(const link_context *link, const char *module_id);
void skip_unused_runtime(link_context *link);
void linked_objects(link_context *link);
void resolve(link_context *link);
void check_inputs(link_context *link, struct input_object *object);   /* called by resolve */
void callgraph_read(link_context *link, struct input_object *object); /* called by resolve */
void check_large_parameters(link_context *link);
void aliases(link_context *link);
void callgraph_build(link_context *link);
void gc(link_context *link);
void uncalled(link_context *link);
void merge(link_context *link);
void textures(link_context *link);
void layout_global(link_context *link);
void layout_shared(link_context *link);
void unused_constants(link_context *link);
void repack(link_context *link);
void layout_constant(link_context *link);
void share_constants(link_context *link);
void deduplicate(link_context *link);
void unified(link_context *link);
void stack(link_context *link);
void limits(link_context *link);
void tell_callgraph(link_context *link);
void stack_limits(link_context *link);
void properties(link_context *link);
void relocatable(link_context *link);
void reserved_shared(link_context *link);
void report(link_context *link);
void scan(link_context *link);
void metadata(link_context *link);
void undefined(link_context *link);
void symtab(link_context *link);
void filelayout(link_context *link);
/* Makes the output in memory, but a large one, which waits until it is asked for. */
void write_output(link_context *link);
void write_in_memory(link_context *link);                       /* one that waits */
bool write_to_file(link_context *link, struct file_sink *sink); /* false: reported */

/* Tells the caller, who may measure passes. */
void link_tell_pass(link_context *link, const char *name);

/* The passes; see link.c. */
enum warpld_status link_run(link_context *link);

/* --------------------------------------------------------------------------------------------- */
/* What --trace tells of places that no pass of their own gives; see trace_plan.c                */

void trace_global_places(link_context *link);
void trace_constant_places(link_context *link);
void trace_records(link_context *link);

/* --------------------------------------------------------------------------------------------- */
/* Questions about inputs that several passes ask                                                */

static inline enum input_kind input_section_kind(const struct elf_section *section)
{
    return (enum input_kind)section->kind;
}

/* The function that a section belongs to: of code, its own; of sections that sh_info ties to code,
 * that code's; NULL for sections of the whole object. *index (may be NULL) receives the symbol's
 * index in the object. */
struct symbol *input_section_function(const struct input_object *object,
                                      const struct elf_section *section, uint32_t *index);

/* True when the object's copy of that function is the one that the program uses and it is kept. */
bool input_function_is_used(const struct input_object *object, uint32_t symbol_index);

/* The smallest virtual target of the inputs, whatever of them is used. */
uint16_t inputs_virtual_sm(const link_context *link);

/* Whether all inputs were compiled for virtual targets below sm_70, whose threads need not all make
 * progress. */
bool inputs_precede_volta(const link_context *link);

/* What is known of the file, made when it is new. */
struct known_file *link_known_file(link_context *link, const struct file_identity *identity);

/* Lets the link take more memory, in proportion to so many bytes of inputs. */
void inputs_allow_memory(link_context *link, uint64_t size);

#endif
