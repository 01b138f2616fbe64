/* The state of one link and the passes over it.
 *
 * Data flows in one direction:
 *
 *     input files --> input objects ---------> plan -----------------------> bytes
 *                     validated, read-only     symbols, functions,           of the
 *                     views of the bytes       output sections as chunks     output file
 *
 * Names of input structures contain `input`, those of the plan `output`. Each pass is a file named
 * after it; its head says what it requires, makes and freezes.
 *
 * Order is part of the result: sections, symbols and strings are in the order in which merge
 * creates them. So every list here is in reading order (inputs in the order they were added) or in
 * creation order, never in the order of a hash or a pointer. */
#ifndef WARPLD_LINK_MODEL_LINK_CONTEXT_H
#define WARPLD_LINK_MODEL_LINK_CONTEXT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/name_table.h"
#include "base/page_feeder.h"
#include "base/parallel.h"
#include "base/trace.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/relocation.h"
#include "format/unified_index.h"
#include "link/model/callgraph.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/kernel_set.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* The link                                                                                      */

/* What is known so far: each pass makes one stage, and the list in link.c says which it needs. */
enum link_stage {
    STAGE_INDEX_READ,          /* the index file of unified tables */
    STAGE_OPENED,              /* the units in the inputs */
    STAGE_LOADED,              /* the objects for the target, valid */
    STAGE_OPTIMISED,           /* the code that was made from LTO-IR is among them */
    STAGE_CHOSEN,              /* which of them are linked */
    STAGE_LISTED,              /* the objects that host code must register */
    STAGE_RESOLVED,            /* the definition of each name */
    STAGE_ALIASED,             /* the function that each alias stands for */
    STAGE_GRAPHED,             /* the call graph */
    STAGE_COLLECTED,           /* the functions that are kept, the order of the call graph */
    STAGE_CODE_CHECKED,        /* code that is kept is undamaged */
    STAGE_MERGED,              /* the output section of each input section, attributes */
    STAGE_RELINKABLE,          /* with -r: what a final link needs in place of addresses */
    STAGE_STACKED,             /* the stack depth of each function */
    STAGE_CALLS_CHECKED,       /* functions that nothing can call are reported */
    STAGE_TEXTURES_PLACED,     /* slots of textures, samplers and surfaces */
    STAGE_GLOBALS_PLACED,      /* addresses in global memory */
    STAGE_SHARED_PLACED,       /* addresses in shared memory */
    STAGE_CONSTANTS_MARKED,    /* the constants that something refers to */
    STAGE_CONSTANTS_PACKED,    /* offsets of the user's constants */
    STAGE_CONSTANTS_PLACED,    /* offsets of compiler-made constants */
    STAGE_CONSTANTS_SHARED,    /* equal constants of a kernel are merged, with --merge-constants */
    STAGE_CONSTANTS_FIT,       /* constants of banks that overflowed are merged */
    STAGE_UNIFIED_PLACED,      /* offsets in unified tables */
    STAGE_SPACES_CHECKED,      /* memory spaces that overflow are reported */
    STAGE_NAMES_CHECKED,       /* undefined symbols are reported */
    STAGE_PARAMETERS_CHECKED,  /* large parameters of old compilers are reported */
    STAGE_GRAPH_REPORTED,      /* the call graph is passed to the caller */
    STAGE_STACK_CHECKED,       /* stacks above their limit are reported */
    STAGE_NEEDS_KNOWN,         /* the attributes that kernels inherit */
    STAGE_RESERVATION_CHECKED, /* uses of reserved shared memory are reported */
    STAGE_REPORTED,            /* the lines of -v are reported */
    STAGE_DESCRIBED,           /* the sections about the program */
    STAGE_SCANNED, /* what each relocation becomes; sizes of all sections except the file's own
                      tables */
    STAGE_INDEXED, /* indices of sections, symbols and strings */
    STAGE_READY,   /* offsets in the file: the bytes can be made */
    STAGE_WRITTEN, /* the output; a large one is made on request */
    STAGE_COUNT,
};

/* A set of stages, by bits. */
typedef uint64_t link_stages;
static_assert(STAGE_COUNT <= 64, "each has a bit");

static inline link_stages stage_bit(enum link_stage stage)
{
    return (link_stages)1 << stage;
}

/* The state of the whole link, for the public interface. */
enum link_progress { PROGRESS_INPUTS, PROGRESS_RUNNING, PROGRESS_READY, PROGRESS_WRITTEN };

/* The combined `.nv.compat` of all objects; see compat.c. */
enum { COMPAT_CODES = 16 };
struct compat {
    uint64_t values[COMPAT_CODES]; /* by code */
    uint32_t seen;                 /* bits by code: some object has a record */
    uint32_t lacking;              /* bits by code: some object with the section has none */
    uint8_t order[COMPAT_CODES];
    uint32_t count;
};

/* Objects of nvcc -ewp among the inputs; see whole_programs.h. */
struct whole_programs {
    bool is_any;       /* some object is one */
    bool has_ordinary; /* some object is not one */
    uint16_t toolkit;  /* of the link when the first whole program was read */
};

struct input_state;
struct resolve_state;
struct relocate_state;
struct merge_state;
struct layout_state;
struct resources_state;
struct write_state;

/* The public header declares the structure; here it is the context that all passes share. */
struct warpld_link {
    struct arena arena;
    struct diagnostics diagnostics;
    struct trace trace;
    struct warpld_options options; /* copied, strings included */
    const struct architecture *target;
    bool target_is_virtual; /* the driver compiles and links the PTX; inputs are only checked */
    uint16_t toolkit;       /* the release whose nvlink is matched, see release.h */
    enum link_progress progress;
    bool is_cancelled;     /* by the caller */
    struct bytes finished; /* an output that a compiler made, so that no pass remains; or none */
    uint32_t tolerated_errors; /* undefined symbols that do not end the link */

    /* The program. */
    GROWING_ARRAY(struct input_unit *, units);     /* in the order of the inputs */
    GROWING_ARRAY(struct input_object *, objects); /* those that are linked */
    GROWING_ARRAY(struct function *, functions);
    struct callgraph callgraph;
    struct output output;
    struct unified_table unified[UNIFIED_TABLE_KINDS];
    uint64_t relocation_count;   /* in all lists; some are counted more than once */
    uint32_t first_texture_slot; /* offset in constant bank 0 */

    /* The state of each folder. The model's is here, the others are declared in <folder>_state.h.
     */
    struct linked_names names;
    struct compat compat;
    struct whole_programs whole_programs;
    struct function_data_inputs function_data;
    struct input_state *input;
    struct resolve_state *resolve;
    struct relocate_state *relocate;
    struct merge_state *merge;
    struct layout_state *layout;
    struct resources_state *resources;
    struct write_state *write;
};

typedef struct warpld_link link_context;

/* "sm_90a", or "compute_90a". */
static inline void link_target_name(const link_context *link, char name[16])
{
    if (link->target_is_virtual)
        architecture_virtual_name(link->target, name);
    else
        architecture_name(link->target, name);
}

/* How the link loads large files. */
static inline enum file_access link_file_access(const link_context *link)
{
    return link->options.map_inputs ? FILE_MAPPED : FILE_COPIED;
}

/* Sets the target that the options name, or NULL if there is none of that name. nvlink 13.0.88 does
 * not know the targets that only CUDA 12 has, so a link as nvlink accepts them only if the caller
 * asks for an output of CUDA 12's ABI. */
static inline void link_set_target(link_context *link)
{
    const struct warpld_options *options = &link->options;
    const char *name = options->architecture;
    link->target = name ? architecture_find_virtual(name) : NULL;
    link->target_is_virtual = link->target;
    if (name && !link->target)
        link->target = architecture_find(name);
    if (link->target && options->as_nvlink && options->output_abi != ABIVERSION_CUDA_12 &&
        architecture_is_of_cuda_12(link->target))
        link->target = NULL;
}

/* Whether the output has the ABI of CUDA 12. Such an output has no notes; its file header has their
 * contents. */
static inline bool link_writes_abi_12(const link_context *link)
{
    return link->options.output_abi == ABIVERSION_CUDA_12 ||
           architecture_is_of_cuda_12(link->target);
}

/* A virtual target accepts the code of all older targets (all pairs up to sm_90a with nvlink
 * 13.0.88). */
static inline bool link_takes_code_of(const link_context *link, unsigned sm)
{
    if (link->target_is_virtual)
        return sm <= link->target->number;
    return link_writes_abi_12(link) ? architecture_runs_code_in_abi_12(link->target, sm)
                                    : architecture_runs_code_of(link->target, sm);
}

/* An output with debug information also has the symbols that only a debugger needs. */
static inline bool link_is_for_debugger(const link_context *link)
{
    return link->options.debug && !link->options.no_debug_info;
}

/* Whether shared variables have symbols in the output. */
static inline bool link_names_shared(const link_context *link)
{
    return link_is_for_debugger(link) || link->options.preserve_relocations;
}

/* From sm_100 on everything about code exists in two views; see views.h. */
static inline bool link_has_mercury(const link_context *link)
{
    return link->target->code == CODE_MERCURY;
}

/* The number of threads to use: at most that of the options, and at most `worth`, the number of
 * threads that the work is worth. */
static inline unsigned link_workers(const link_context *link, uint64_t worth)
{
    unsigned wanted = link->options.threads ? link->options.threads : 1;
    unsigned allowed = wanted < PARALLEL_MOST_WORKERS ? wanted : PARALLEL_MOST_WORKERS;
    return worth < 1 ? 1 : worth < allowed ? (unsigned)worth : allowed;
}

/* The chunk of a whole input section at that offset of its output section. */
static inline struct chunk chunk_of(struct input_object *object, uint32_t section, uint64_t offset)
{
    const struct elf_section *input = &object->elf.sections[section];
    return (struct chunk){object, input, offset, input->size, input->data};
}

/* Bytes at the start of each kernel's shared memory that the system reserves. */
static inline uint64_t link_shared_reserved(const link_context *link)
{
    return link->options.no_shared_reservation ? 0 : link->target->shared_reserved;
}

/* The smallest virtual target of the inputs, whether or not their code is used, at most the number
 * of the target (observed with nvlink 13.0.88 and patched objects). */
uint16_t inputs_virtual_sm(const link_context *link);

/* Whether all inputs were compiled for virtual targets below sm_70, where threads have no guarantee
 * of independent progress. */
bool inputs_precede_volta(const link_context *link);

/* Raises the limit of the link's memory in proportion to that many bytes of inputs. */
void inputs_allow_memory(link_context *link, uint64_t size);

#endif
