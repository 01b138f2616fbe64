/* The state of one link and the passes over it.
 *
 * Data flows in one direction:
 *
 *     input files --> input objects ---------> plan -----------------------> bytes
 *                     validated, read-only     symbols, functions,           of the
 *                     views of the bytes       output sections as chunks     output file
 *
 * Names of input structures contain `input`, those of the plan `output`. Each pass is in a file
 * with the name of the pass; the head of the file says what the pass requires, makes and freezes.
 *
 * Order is part of the result: the output has sections, symbols and strings in the order in which
 * pass_merge creates them. So every list here is in reading order or in creation order, never in
 * the order of hashes or addresses. */
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

/* What is known so far. Each pass makes one stage; the table in link.c says which stages it
 * needs. */
enum link_stage {
    STAGE_INDEX_READ, /* the index file of unified tables is read */
    STAGE_OPENED,     /* the units of the inputs are found */
    STAGE_LOADED,     /* the objects for the target are known and valid */
    STAGE_OPTIMISED,  /* the code that is made from LTO-IR is one of the loaded objects */
    STAGE_CHOSEN,     /* the objects that are linked are chosen */
    STAGE_LISTED,     /* the objects that host code must register are listed */
    STAGE_RESOLVED,   /* each name has its definition */
    STAGE_ALIASED,    /* each alias has the function that it stands for */
    STAGE_GRAPHED,    /* the call graph is built */
    STAGE_COLLECTED,  /* the functions that are kept, and the order of the call graph, are known */
    STAGE_CODE_CHECKED,     /* code that is kept is undamaged */
    STAGE_MERGED,           /* each input section has its output section; attributes are merged */
    STAGE_RELINKABLE,       /* with -r: sections and symbols are as a final link needs them */
    STAGE_STACKED,          /* the stack depth of each function is known */
    STAGE_CALLS_CHECKED,    /* functions that nothing can call are reported */
    STAGE_TEXTURES_PLACED,  /* slots of textures, samplers and surfaces are assigned */
    STAGE_GLOBALS_PLACED,   /* addresses in global memory are assigned */
    STAGE_SHARED_PLACED,    /* addresses in shared memory are assigned */
    STAGE_CONSTANTS_MARKED, /* constants that something refers to are marked */
    STAGE_CONSTANTS_PACKED, /* offsets of user constants are assigned */
    STAGE_CONSTANTS_PLACED, /* offsets of compiler-made constants are assigned */
    STAGE_CONSTANTS_SHARED, /* with --merge-constants: equal constants of each kernel are merged */
    STAGE_CONSTANTS_FIT,    /* constants of banks that overflowed are merged */
    STAGE_UNIFIED_PLACED,   /* offsets in unified tables are assigned */
    STAGE_SPACES_CHECKED,   /* memory spaces that overflow are reported */
    STAGE_NAMES_CHECKED,    /* undefined symbols are reported */
    STAGE_PARAMETERS_CHECKED,  /* large parameters in code of old compilers are reported */
    STAGE_GRAPH_REPORTED,      /* the call graph is passed to the caller */
    STAGE_STACK_CHECKED,       /* stacks above their limit are reported */
    STAGE_NEEDS_KNOWN,         /* the attributes that kernels inherit are known */
    STAGE_RESERVATION_CHECKED, /* uses of reserved shared memory are reported */
    STAGE_REPORTED,            /* the lines of -v are reported */
    STAGE_DESCRIBED,           /* the sections that describe the program are made */
    STAGE_SCANNED, /* it is decided what each relocation becomes; all sizes are known except those
                      of the symbol and string tables */
    STAGE_INDEXED, /* sections, symbols and strings have their indices */
    STAGE_READY,   /* offsets in the file are assigned: the bytes can be made */
    STAGE_WRITTEN, /* the output is in memory, or it is large and is made when the caller asks for
                      it */
    STAGE_COUNT,
};

/* A set of stages, as bits. */
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
    uint64_t values[COMPAT_CODES]; /* by code; combined over the objects read so far */
    uint32_t seen;                 /* bits by code: some object has a record of the code */
    uint32_t lacking; /* bits by code: some object has the section, but no record of the code */
    uint8_t order[COMPAT_CODES];
    uint32_t count;
};

/* Objects of nvcc -ewp among the inputs; see whole_programs.h. */
struct whole_programs {
    bool is_any;       /* some object is a whole program */
    bool has_ordinary; /* some object is not a whole program */
    uint16_t toolkit;  /* the link's toolkit when the first whole program was read */
};

struct input_state;
struct resolve_state;
struct relocate_state;
struct merge_state;
struct layout_state;
struct resources_state;
struct write_state;

/* The public header declares this structure without its fields. It is the context that all passes
 * share. */
struct warpld_link {
    struct arena arena;
    struct diagnostics diagnostics;
    struct trace trace;
    struct warpld_options options; /* copied, strings included */
    const struct architecture *target;
    bool target_is_virtual; /* the link only checks its inputs; the driver will compile and link
                               their PTX */
    uint16_t toolkit;       /* the release whose nvlink the output follows, see release.h */
    enum link_progress progress;
    bool is_cancelled; /* by the caller */
    /* The output, if the compiler of LTO-IR made all of it. No later pass runs then. Otherwise no
     * bytes. */
    struct bytes finished;
    uint32_t tolerated_errors; /* errors about undefined symbols that do not end the link */

    /* The program. */
    GROWING_ARRAY(struct input_unit *, units);     /* in the order of the inputs */
    GROWING_ARRAY(struct input_object *, objects); /* those that are linked */
    GROWING_ARRAY(struct function *, functions);
    struct callgraph callgraph;
    struct output output;
    struct unified_table unified[UNIFIED_TABLE_KINDS];
    uint64_t relocation_count;   /* in all lists; some are counted more than once */
    uint32_t first_texture_slot; /* offset of the first slot in constant bank 0 */

    /* State that the functions of each folder of src/link share: first of this folder, then of the
     * others; see <folder>_state.h. */
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

/* Sets the target to the one that the options name, or to NULL if warpld does not know that name.
 * CUDA 12 has targets that nvlink 13.0.88 does not know. With as_nvlink they are accepted only if
 * the caller asks for an output of CUDA 12's ABI. */
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

/* Whether the output has the ABI of CUDA 12. Such an output has no notes. Its file header contains
 * what the notes say in other outputs. */
static inline bool link_writes_abi_12(const link_context *link)
{
    return link->options.output_abi == ABIVERSION_CUDA_12 ||
           architecture_is_of_cuda_12(link->target);
}

/* Whether the target runs code for the SM with this number. A virtual target accepts the code of
 * all older targets (observed with all pairs up to sm_90a, nvlink 13.0.88). */
static inline bool link_takes_code_of(const link_context *link, unsigned sm)
{
    if (link->target_is_virtual)
        return sm <= link->target->number;
    return link_writes_abi_12(link) ? architecture_runs_code_in_abi_12(link->target, sm)
                                    : architecture_runs_code_of(link->target, sm);
}

/* Whether the output also has the symbols that only a debugger needs, as outputs with debug
 * information do. */
static inline bool link_is_for_debugger(const link_context *link)
{
    return link->options.debug && !link->options.no_debug_info;
}

/* Whether nearly all shared variables have symbols in the output; see shared_keeps_name. */
static inline bool link_names_shared(const link_context *link)
{
    return link_is_for_debugger(link) || link->options.preserve_relocations;
}

/* Whether code for the target has two views, native and Mercury, as from sm_100 on; see views.h. */
static inline bool link_has_mercury(const link_context *link)
{
    return link->target->code == CODE_MERCURY;
}

/* The number of threads to use: at most that of the options, and at most `worth`, the number of
 * threads for which there is enough work. */
static inline unsigned link_workers(const link_context *link, uint64_t worth)
{
    unsigned wanted = link->options.threads ? link->options.threads : 1;
    unsigned allowed = wanted < PARALLEL_MOST_WORKERS ? wanted : PARALLEL_MOST_WORKERS;
    return worth < 1 ? 1 : worth < allowed ? (unsigned)worth : allowed;
}

/* Returns a chunk that is a whole input section, at `offset` in its output section. */
static inline struct chunk chunk_of(struct input_object *object, uint32_t section, uint64_t offset)
{
    const struct elf_section *input = &object->elf.sections[section];
    return (struct chunk){object, input, offset, input->size, input->data};
}

/* Number of bytes that the system reserves at the start of each kernel's shared memory. */
static inline uint64_t link_shared_reserved(const link_context *link)
{
    return link->options.no_shared_reservation ? 0 : link->target->shared_reserved;
}

/* Returns the lowest virtual SM of all inputs, including inputs whose code is not used. It is at
 * most the number of the target (observed with nvlink 13.0.88 and patched objects). */
uint16_t inputs_virtual_sm(const link_context *link);

/* Whether all objects were compiled for virtual SMs below sm_70, which do not guarantee that
 * threads make progress independently of one another. */
bool inputs_precede_volta(const link_context *link);

/* Raises the limit of the link's memory in proportion to `size`, a number of bytes of inputs. A
 * limit that the caller has set does not change. */
void inputs_allow_memory(link_context *link, uint64_t size);

#endif
