/* Symbols and functions of the program.
 *
 *      linked_name "scale" --> symbol --> function --> output sections .text.scale, ...
 *                                |           |
 *                                v           +--> rare_function, shared_memory
 *                           rare_symbol                   (NULL for most)
 *
 * A link of many objects has some hundred thousand symbols, and memory latency dominates. So fields
 * that few symbols or functions need are in separate structures. */
#ifndef WARPLD_LINK_MODEL_SYMBOLS_H
#define WARPLD_LINK_MODEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"

struct input_object;
struct linked_name;
struct output_section;
struct shared_variable;
struct warpld_link;

enum symbol_list { LIST_LOCAL, LIST_GLOBAL };

/* Fields that few symbols need. */
struct rare_symbol {
    /* The object whose initialised definition a common symbol replaced; NULL if there is none. */
    const struct input_object *overridden;
    uint64_t common_alignment; /* alignment of the common symbol that was read first */
    uint32_t texture_slot;     /* offset in constant bank 0 */
    /* Number, from 1, among the reported undefined symbols; see undefined.c. 0 if not reported. */
    uint32_t undefined_number;
};

/* A symbol of the program: a GLOBAL or WEAK name, or a local symbol of one object. Symbols of
 * sections and files, and those without a type, have none. All copies of a kernel share one symbol
 * for each of its texture parameters. */
struct symbol {
    struct linked_name *name;
    /* The object with the definition or, if there is no definition, with the first reference. */
    struct input_object *object;
    struct function *function; /* for a function symbol; otherwise NULL */
    struct output_section *section;
    struct shared_variable *shared; /* set if the linker assigns its address in shared memory */
    struct rare_symbol *rare;       /* fields that few symbols need; NULL if all are 0 */
    uint64_t value;
    uint64_t size;
    uint32_t input_index;  /* index in the object's symbol table */
    uint32_t output_index; /* final; 0 if it is not in the output */
    uint32_t section_type; /* type of its section in the object; SHT_NULL if it has none */
    /* Number, from 1, among the symbols that EXTERNS records list; see inherit_lists.c. 0 if it has
     * no number. */
    uint32_t extern_number;
    /* The object that messages name for this symbol, as its position + 1; see resolve.c. If it is
     * 0, messages print "<input>". */
    uint32_t named;
    uint8_t type; /* as in the inputs */
    uint8_t other;
    uint8_t binding : 4;
    /* enum linker_symbol: the kind of a symbol that the linker itself defines. Such a symbol is
     * never undefined. */
    uint8_t linker_made : 3;
    uint8_t list : 1;        /* enum symbol_list, chosen by the binding at the first appearance */
    bool defined : 1;        /* it has a definition that is not common */
    bool common : 1;         /* it is in the list of common symbols */
    bool created : 1;        /* it is in one of the output's symbol lists */
    bool dropped : 1;        /* it is not in the output */
    bool is_kept_shared : 1; /* it is in kept_shared of struct merge_state */
    bool name_only : 1;      /* the output has only its name, in .strtab */
    bool referred : 1;   /* for constants: a kept section refers to it; see unused_constants.c */
    bool is_texture : 1; /* a texture, sampler or surface reference, which has a slot */
};
_Static_assert(sizeof(struct symbol) <= 88, "there are many");

static inline const char *symbol_name(const struct symbol *symbol)
{
    return symbol->name->name.text; /* never NULL: link_intern sets it */
}

/* The fields that few symbols need, for reading; symbol_add_rare is for setting them. */
static inline const struct rare_symbol *symbol_rare(const struct symbol *symbol)
{
    static const struct rare_symbol NONE;
    return symbol->rare ? symbol->rare : &NONE;
}
struct rare_symbol *symbol_add_rare(struct warpld_link *link, struct symbol *symbol);

static inline bool symbol_is_function(const struct symbol *symbol)
{
    return symbol->type == STT_FUNC;
}

static inline bool symbol_type_is_texture(uint8_t type)
{
    return type >= STT_CUDA_TEXTURE && type <= STT_CUDA_SURFACE;
}

/* Whether the symbol is an undefined variable to which all references are weak. */
static inline bool symbol_is_weak_undefined(const struct symbol *symbol)
{
    return !symbol->defined && !symbol->common && !symbol->function && !symbol->linker_made &&
           !symbol->is_texture && symbol->binding == STB_WEAK;
}

/* Whether the symbol is extern shared memory. Its size is 0, because the launch gives the size.
 * Compilers leave the symbol undefined, but a definition of size 0 has the same effect (observed
 * with patched objects). */
static inline bool symbol_is_extern_shared(const struct symbol *symbol)
{
    return (symbol->other & STO_CUDA_SPACE) == STO_CUDA_SHARED && symbol->size == 0;
}

/* Attributes that a kernel inherits from the functions that it reaches. If the kernel has no record
 * of the attribute, the linker adds one. The kinds whose value is a maximum come first. */
enum inherited_kind {
    INHERITED_BARRIERS,
    INHERITED_CTA_INIT_COUNT,
    INHERITED_MAXIMA,
    INHERITED_EXTERNS = INHERITED_MAXIMA,
    INHERITED_FRAGMENTS,
    INHERITED_MBARRIERS,
    INHERITED_REG_RECONFIG,
    INHERITED_RESERVED_SHARED,
    INHERITED_CTAIDZ,
    INHERITED_TCGEN05_1CTA,
    INHERITED_TCGEN05_2CTA,
    INHERITED_CLUSTER_LAUNCH,
    INHERITED_COUNT,
};

struct extern_record {
    struct symbol **symbols;
    uint32_t count;
};

/* A summary of a function's own records of one attribute that kernels inherit. All records of the
 * inputs are numbered in reading order, from 1. */
struct inherited {
    uint32_t record;   /* index + 1, in .nv.info.F, of the last record that is kept; 0: none */
    uint32_t sequence; /* number of the first record; 0: none */
    uint32_t last;     /* value of the last record */
    uint32_t largest;  /* largest value */
};

/* Adds counts of NUM_MBARRIERS, which are half words. If the compiler does not know a count, as for
 * an mbarrier.init in a loop, it writes 0xffff; a sum with that count is 0xffff, too. Other sums
 * wrap around (observed in 120 links with patched counts). */
static inline uint32_t mbarriers_add(uint32_t sum, uint32_t count)
{
    enum { UNKNOWN = 0xffff };
    return sum == UNKNOWN || count == UNKNOWN ? UNKNOWN : (sum + count) & UNKNOWN;
}

/* The shared memory of a function. layout_shared assigns the addresses in it. */
struct shared_memory {
    GROWING_ARRAY(struct shared_variable *, variables); /* the kernel's own variables */
    uint64_t end;
    /* Alignment of the memory that the compiler laid out for a kernel of a whole program, see
     * whole_programs.c. 0 if it laid out none. */
    uint64_t placed_alignment;
    /* Address of extern shared memory in the function's code; UINT64_MAX if it uses none. */
    uint64_t extern_address;
};

/* The bits of SYNC_STACK's word that hold the size, in inputs and outputs (observed with recursion,
 * large sums and large values). The other bits are copied. */
enum { SYNC_STACK_SIZE = 0xffff };

/* Fields that few functions need. A field named ..._record holds the index + 1 of a record in
 * .nv.info.F; 0 means that there is no such record. */
struct rare_function {
    GROWING_ARRAY(struct extern_record, externs); /* one for each EXTERNS record */
    GROWING_ARRAY(struct bytes, fragments);       /* payloads of the AT_ENTRY_FRAGMENTS records */
    GROWING_ARRAY(struct symbol *, texture_parameters); /* textures, samplers, surfaces */
    struct output_section *own_constants;   /* compiler-made constants of the accepted copies */
    struct output_section *first_constants; /* its first .nv.constant2.F; see merge_constant.c */
    /* For a kernel that has no constants, but has the same name as a static function: the name
     * .nv.constant2.K. The static function can create that section, and the kernel then uses it. */
    struct linked_name *constants_name;
    /* For the first static function of a name: the block of the first static device function that
     * has this name and has constants. NULL for all other functions. */
    struct output_section *static_constants;
    uint32_t region_stack_size; /* from SAM_REGION_STACK_SIZE */
    uint32_t call_stack_size;   /* from CRS_STACK_SIZE or SYNC_STACK */
    uint32_t call_stack_upper;  /* upper half of SYNC_STACK's word, which is copied */
    uint32_t call_stack_record;
    /* Number, in reading order, of the first RESERVED_SMEM_USED record that the function inherits;
     * 0 if it inherits none. */
    uint32_t reserved_shared_read;
    /* Position of an object. In objects before that one, relocations of debug data are ignored if
     * they refer to superseded copies of this function; see weak_supersede. */
    uint32_t forgotten_before;
    bool has_relocated_copy; /* the code of a superseded copy has relocations */
    /* The function lets the next grid start early: its PREEXIT_USED record is not 0. Kernels
     * inherit this from the functions that they reach. */
    bool exits_early;
};

struct function {
    struct symbol *symbol;
    struct function *alias_of;     /* for an alias: the function that it stands for */
    struct linked_name *prototype; /* NULL if it has none */

    /* Output sections, created by pass_merge. */
    struct output_section *text;
    struct output_section *info;
    struct output_section *shared;
    struct output_section *parameters;       /* .nv.constant0.K */
    struct output_section *register_section; /* the attribute section with register_record */

    struct inherited *inherited; /* one for each kind in inherited_kinds, sorted by kind */
    struct shared_memory *shared_memory;
    struct rare_function *rare;

    uint32_t index;            /* node in the call graph */
    uint32_t creation;         /* order of creation of function symbols; 0 if not yet created */
    uint32_t prototype_object; /* position of the object with the prototype */

    /* Resources. pass_merge reads them from the definition that is used; pass_properties completes
     * them. A field named ..._record holds the index + 1 of a record in .nv.info or .nv.info.F; 0
     * means that there is no such record. */
    uint32_t register_count;
    uint32_t register_record;
    uint32_t sparse_record;
    uint32_t frame_size;
    uint32_t stack_limit; /* from MAX_STACK_SIZE; 0: no limit */
    /* For a kernel: what it and the functions that it reaches need. pass_stack and pass_properties
     * compute these fields. */
    uint32_t needed_registers;
    uint32_t stack_size; /* if the total is unknown, only the kernel's own frame */
    uint16_t needed_barriers;
    uint8_t register_limit; /* from MAXREG_COUNT; see register_limits.h */
    uint16_t sparse_mask;
    uint16_t first_virtual_sm; /* virtual SM of the first definition read */
    uint16_t inherited_kinds;  /* a bit for each kind that `inherited` has an element for */
    /* Number of barriers in the flags of the function's code section, where ptxas 12 writes it. */
    uint8_t flag_barriers;
    bool has_first_copy : 1; /* a definition was read */
    bool entry : 1;          /* it is declared as a kernel */
    bool kernel : 1; /* it is kept as a kernel; gc.c keeps some entries only as device functions */
    /* The function is kept as a kernel, but not because it is a named kernel (struct names in
     * gc.c): its address is taken, or it is a stub or a system function. */
    bool unnamed : 1;
    bool reached : 1; /* a kept kernel reaches it */
    bool address_taken : 1;
    bool is_system : 1; /* the driver reserves its name, and the program defines it; set by gc */
    bool is_stub : 1;   /* its code is a slot of the unified function table */
    bool kept : 1;
    bool has_register_count : 1;
    bool stack_is_known : 1;
    bool recurses : 1; /* it calls itself, according to its object */
};
_Static_assert(sizeof(struct function) <= 144, "there are many");

/* Fields that few functions need. The functions below return them for reading; function_add_rare,
 * function_add_shared_memory and function_add_inherited return them for setting. */
static inline const struct rare_function *function_rare(const struct function *function)
{
    static const struct rare_function NONE;
    return function->rare ? function->rare : &NONE;
}
static inline const struct shared_memory *function_shared_memory(const struct function *function)
{
    static const struct shared_memory NONE = {.extern_address = UINT64_MAX};
    return function->shared_memory ? function->shared_memory : &NONE;
}

/* Returns the number of kinds before `kind` of which the function has records. This is the index of
 * `kind` in the function's array. */
static inline size_t function_inherited_before(const struct function *function,
                                               enum inherited_kind kind)
{
    size_t count = 0;
    for (unsigned rest = function->inherited_kinds & ((1U << kind) - 1); rest; rest &= rest - 1)
        count++;
    return count;
}

static inline const struct inherited *function_inherited(const struct function *function,
                                                         enum inherited_kind kind)
{
    static const struct inherited NONE;
    bool has = function->inherited_kinds >> kind & 1;
    return has ? &function->inherited[function_inherited_before(function, kind)] : &NONE;
}

struct rare_function *function_add_rare(struct warpld_link *link, struct function *function);

/* Returns the first static function that has the same name as `function`, possibly `function`
 * itself; NULL if there is none. The search starts at the first static symbol of the name. If that
 * symbol is a variable, only functions passed to function_note_static are found. */
struct function *function_first_static(const struct warpld_link *link,
                                       const struct function *function);

/* Must be called for each static function whose name belongs to a static variable read earlier. */
void function_note_static(struct warpld_link *link, struct function *function);

struct shared_memory *function_add_shared_memory(struct warpld_link *link,
                                                 struct function *function);
struct inherited *function_add_inherited(struct warpld_link *link, struct function *function,
                                         enum inherited_kind kind);

/* Only the lower byte of MAXREG_COUNT is used: 300 means 44, and 256, like 0, means no limit.
 * Without a record the limit is 255, which is more than code can use (observed with patched
 * objects). */
enum { NO_REGISTER_LIMIT = 0, USUAL_REGISTER_LIMIT = 255 };

#endif
