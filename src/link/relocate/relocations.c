/* Decides what becomes of one relocation; see relocations.h.
 *
 * The decision depends first on the kind of the target, and then on the class of the relocation
 * type. References to functions and global memory are kept, because the driver assigns their
 * addresses. References to constants and shared memory are resolved, because their addresses are
 * final. Each type was tried with each kind of target in patched objects (nvlink 13.0.88);
 * docs/format/relocations.md has the table. */
#include "link/relocate/relocations.h"

#include <string.h>

#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/views.h"
#include "link/relocate/relocate_state.h"
#include "link/relocate/relocation_target.h"
#include "link/relocate/texture_loads.h"
#include "link/resolve/discarded_ranges.h"
#include "link/resolve/weak.h"

static const struct relocation_decision DROP = {.action = ACTION_DROP};

static struct relocation_decision decide_failure(enum diagnostic_name error)
{
    return (struct relocation_decision){.action = ACTION_FAIL, .error = error};
}

/* Returns the number of the bank that a relocation writes. nvlink computes the number in this way
 * for each target. The number has a meaning only for constant memory, but nvlink also writes it for
 * other targets (6 for shared memory, 28 for a target without a section, 29 for code). */
static uint32_t bank_of_type(uint32_t section_type)
{
    return (section_type - SHT_CUDA_CONSTANT0) % 32;
}

/* Returns the symbol of the function that an alias stands for. If the symbol is not an alias,
 * returns the symbol itself. */
static const struct symbol *aliased_symbol(const struct symbol *symbol)
{
    const struct function *aliased = symbol->function->alias_of;
    return aliased ? aliased->symbol : symbol;
}

bool relocation_is_to_later_part(const struct input_object *object,
                                 const struct elf_section *relocations,
                                 const struct elf_relocation *entry)
{
    enum code_view view = (enum code_view)relocations->view;
    if (!entry->symbol || object->symbols[entry->symbol])
        return false;
    struct elf_symbol input = elf_view_symbol(&object->elf, view, entry->symbol);
    if (input.type != STT_SECTION || input.section >= object->elf.section_count)
        return false;
    /* Constants of functions have no offsets yet when pass_merge calls this function for the first
     * time. The result for them is always false, because it must be the same in all calls. */
    return input_section_kind(&object->elf.sections[input.section]) != INPUT_CONSTANT_ENTRY &&
           relocation_target_of_part(object, view, input.section).value != 0;
}

/* --------------------------------------------------------------------------------------------- */
/* By kind of target                                                                             */

static struct relocation_decision keep(const struct relocation_type *type, uint32_t number,
                                       const struct relocation_target *target)
{
    return (struct relocation_decision){
        .action = ACTION_KEEP,
        .type = type,
        .number = number,
        .symbol = target->section ? NULL : target->symbol,
        .section = target->section,
        .shift = target->section ? target->value : 0,
    };
}

static struct relocation_decision decide_value(const struct relocation_type *type, uint64_t value,
                                               uint32_t section_type,
                                               const struct relocation_target *target)
{
    return (struct relocation_decision){
        .action = ACTION_WRITE,
        .type = type,
        .number = type->number,
        .value = value,
        .bank = bank_of_type(section_type),
        .dynamic = target->dynamic,
        .symbol = target->section ? NULL : target->symbol,
        .section = target->section,
        .shift = target->section ? target->value : 0,
    };
}

bool relocation_is_listed(const link_context *link, const struct output_section *relocated,
                          const struct relocation_decision *decision)
{
    const struct symbol *symbol = decision->symbol;
    bool is_resolved =
        decision->action == ACTION_WRITE || (decision->action == ACTION_CLEAR && symbol);
    if (!link->options.preserve_relocations || !is_resolved)
        return false;
    bool is_debug = relocated->rank == RANK_DEBUG || relocated->rank == RANK_MERCURY_DEBUG;
    if (link_has_mercury(link) && (is_debug || !symbol || !symbol->shared))
        return false; /* listed: only references from code and data to shared memory (observed) */
    bool is_unnamed = decision->dynamic && !link_is_for_debugger(link);
    if (is_unnamed || (symbol && symbol->is_texture))
        return false; /* not listed: the value is not the address of a variable (observed) */
    if (symbol)
        return symbol->created && !symbol->dropped && !symbol->name_only;
    return !decision->section || output_section_has_symbol(decision->section); /* NULL: symbol 0 */
}

/* Whether nvlink ignores an entry that refers to this unused copy of a function. It ignores the
 * entry in debug sections whose records describe the copy in their own object, not the function
 * that the program uses. */
static bool describes_copy(const struct input_object *object, const struct elf_section *relocations,
                           uint32_t symbol)
{
    const struct elf_section *relocated = relocation_native_section(object, relocations);
    const struct output_section *home = object->contributions[relocated->index].section;
    bool forgets = elf_section_has_addends(relocations) ||
                   (home && home->rela && home->rel && home->rela->creation < home->rel->creation);
    return weak_copy_is_forgotten(object, symbol, forgets) && weak_section_follows_copy(relocated);
}

static inline bool describes_unused_copy(const struct input_object *object,
                                         const struct elf_section *relocations, uint32_t symbol)
{
    uint8_t copy = object->copies[symbol];
    return (copy == COPY_DISCARDED || copy == COPY_SUPERSEDED) &&
           describes_copy(object, relocations, symbol);
}

/* Whether the type belongs to one view, but the relocation to the other. In a native section,
 * Mercury types are kept or refused like unknown types, with two exceptions: UNIFIED types are
 * replaced, and CLEAR types keep their class (each type was tried on sm_80). */
static bool is_foreign(const struct relocation_type *type, bool for_mercury)
{
    return (type->number >= RELOCATION_MERCURY_BASE) != for_mercury;
}

static enum relocation_class class_for(const struct relocation_type *type, bool for_mercury)
{
    if (!type || (is_foreign(type, for_mercury) && type->class != RELOCATION_CLEAR))
        return RELOCATION_END;
    return type->class;
}

static enum relocation_class class_of(const struct relocation_type *type,
                                      const struct relocation_target *target)
{
    return class_for(type, target->for_mercury);
}

static struct relocation_decision clear(const struct relocation_type *type, bool for_mercury)
{
    if (is_foreign(type, for_mercury))
        return decide_failure(DIAGNOSTIC_RELOCATION_TYPE);
    return (struct relocation_decision){.action = ACTION_CLEAR, .type = type};
}

/* Whether the symbol is in the output only because of --preserve-relocs. Such symbols have the
 * visibility INTERNAL. */
static bool is_kept_by_option(const link_context *link, const struct symbol *symbol)
{
    return link->options.preserve_relocations && (symbol->other & STO_VISIBILITY) == STV_INTERNAL;
}

/* Decides an entry of class CLEAR whose target is a constant, shared memory or a section. The field
 * is zeroed in two cases: the target is not in the output, or its symbol is in the output only
 * because of --preserve-relocs. In the second case the entry is listed as resolved (observed with
 * each kind of target on sm_80 and sm_90). Otherwise the entry is dropped. */
static struct relocation_decision decide_clear(const link_context *link,
                                               const struct relocation_type *type,
                                               const struct relocation_target *target)
{
    const struct symbol *symbol = target->symbol;
    bool is_listed = symbol && !symbol->dropped && is_kept_by_option(link, symbol);
    bool removed = target->removed && target->section_type != SHT_CUDA_SHARED;
    if (!is_listed && !removed && !(symbol && symbol->dropped))
        return DROP;
    struct relocation_decision decision = clear(type, target->for_mercury);
    decision.number = type->number;
    decision.symbol = is_listed ? symbol : NULL;
    return decision;
}

/* Keeps the entry, but with type 0, so that it has no effect. */
static struct relocation_decision keep_as_none(const struct relocation_type *type)
{
    return (struct relocation_decision){.action = ACTION_KEEP, .type = type, .number = 0};
}

/* Decides an entry that refers to a function, as most entries do. The entry is kept for the driver
 * if the function is kept. */
static struct relocation_decision decide_function(const struct relocation_type *type,
                                                  uint32_t number, const struct symbol *symbol,
                                                  bool for_mercury)
{
    const struct function *function = symbol->function;
    enum relocation_class class = class_for(type, for_mercury);
    if (class == RELOCATION_NONE)
        return DROP;
    if (class == RELOCATION_CLEAR)
        return function->kept ? DROP : clear(type, for_mercury);
    if (!function->kept)
        return DROP;
    return (struct relocation_decision){
        .action = ACTION_KEEP, .type = type, .number = number, .symbol = aliased_symbol(symbol)};
}

/* Decides an entry that refers to a variable in global memory. A type of class DESCRIPTOR is
 * refused, because variables have no descriptors; nvlink crashes on it. */
static struct relocation_decision decide_global(const struct relocation_type *type, uint32_t number,
                                                const struct relocation_target *target)
{
    if (class_of(type, target) == RELOCATION_DESCRIPTOR)
        return decide_failure(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    return keep(type, number, target);
}

/* Returns the offset in bank 0 from which a relocation of this type counts the offset of a slot:
 * the first slot, or 0. */
static uint32_t start_of_slots(const link_context *link, uint32_t type, bool for_mercury)
{
    bool is_index = link_has_mercury(link) && texture_type_is_index(type);
    return for_mercury || is_index ? link->first_texture_slot : 0;
}

/* Decides an entry that refers to a texture, sampler or surface. Most types are resolved to the
 * offset of the target's slot or to 0; some are kept for the driver. */
static struct relocation_decision decide_texture(const struct relocation_type *type,
                                                 uint32_t number,
                                                 const struct relocation_target *target,
                                                 uint32_t first_slot)
{
    enum relocation_class class = class_of(type, target);
    if (class == RELOCATION_END)
        return type && type->texture == TEXTURE_RESOLVED
                   ? decide_failure(DIAGNOSTIC_RELOCATION_TYPE)
                   : keep(type, number, target);
    if (class == RELOCATION_DESCRIPTOR)
        return decide_failure(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    if (class == RELOCATION_PC_RELATIVE)
        return decide_failure(DIAGNOSTIC_RELOCATION_PC_RELATIVE);
    switch ((enum relocation_texture)type->texture) {
    case TEXTURE_RESOLVED: /* the offset of the slot, counted from first_slot */
        return decide_value(type, target->value - first_slot, SHT_CUDA_CONSTANT0, target);
    case TEXTURE_ZERO:
        return decide_value(type, 0, SHT_NULL, target);
    case TEXTURE_DROPPED:
        return DROP;
    case TEXTURE_CLEARED:
        return keep_as_none(type);
    case TEXTURE_KEPT:
        break;
    }
    return keep(type, number, target);
}

static struct relocation_decision decide_reserved(const struct relocation_type *type,
                                                  uint32_t number,
                                                  const struct relocation_target *target)
{
    enum relocation_class class = class_of(type, target);
    if (class == RELOCATION_DESCRIPTOR)
        return decide_failure(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    return class == RELOCATION_CLEAR ? keep_as_none(type) : keep(type, number, target);
}

/* Whether the relocation is in Mercury code and refers to a variable in reserved shared memory.
 * Such references are kept for the driver, like references to the reserved memory itself. In native
 * code they are resolved (observed with tcgen05). */
static bool is_reserved_variable(const struct relocation_target *target)
{
    return target->for_mercury && target->symbol &&
           target->section_type == SHT_CUDA_SHARED_RESERVED;
}

/* Returns the value for SLOT types. For a compiler-made constant nvlink writes the alignment of its
 * section; for a shared variable, the alignment of the variable (observed with alignments 4 to 64
 * for sm_80 and sm_90). */
static uint64_t slot_value(const struct relocation_target *target)
{
    const struct symbol *symbol = target->symbol;
    if (!symbol || !symbol->defined ||
        section_type_constant_bank(target->section_type) != CONSTANT_BANK_COMPILER)
        return target->slot;
    const struct elf_view *view = &symbol->object->elf;
    struct elf_symbol input = elf_view_symbol(view, VIEW_NATIVE, symbol->input_index);
    return elf_section_alignment(&view->sections[input.section]);
}

/* Decides an entry whose target is a constant, shared memory or a section, all of which have their
 * final addresses. Entries of the classes VALUE and SLOT are resolved, except VALUE entries that
 * is_reserved_variable keeps for the driver. Entries of the classes LOADER and UNIFIED are kept;
 * they are errors if their symbol is not in the output. */
static struct relocation_decision decide_placed(const link_context *link,
                                                const struct relocation_type *type, uint32_t number,
                                                const struct relocation_target *target)
{
    bool has_no_name = target->kind == TARGET_SHARED && target->symbol && target->symbol->dropped;
    if (is_reserved_variable(target) && class_of(type, target) == RELOCATION_VALUE)
        return keep(type, number, target);
    switch (class_of(type, target)) {
    case RELOCATION_NONE:
        return DROP;
    case RELOCATION_YIELD:
        return link->relocate->precedes_volta ? decide_value(type, 0, SHT_NULL, target) : DROP;
    case RELOCATION_CLEAR:
        return decide_clear(link, type, target);
    case RELOCATION_VALUE:
        return decide_value(type, target->value, target->section_type, target);
    case RELOCATION_SLOT:
        return decide_value(type, slot_value(target), target->section_type, target);
    case RELOCATION_LOADER:
    case RELOCATION_UNIFIED: /* only with an index file; without it, the type was replaced */
        return has_no_name || target->removed ? decide_failure(DIAGNOSTIC_RELOCATION_DELETED_SYMBOL)
                                              : keep(type, number, target);
    case RELOCATION_DESCRIPTOR:
        return decide_failure(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    case RELOCATION_PC_RELATIVE:
        return decide_failure(DIAGNOSTIC_RELOCATION_PC_RELATIVE);
    case RELOCATION_END:
        break;
    }
    return decide_failure(DIAGNOSTIC_RELOCATION_TYPE);
}

/* Decides an entry that refers to a placeholder which is not in the output. Compilers write only
 * entries that refer to LINKER_SYMBOL_CODE_OFFSET; these are dropped. Entries that refer to other
 * placeholders are dropped, too, except those of type 0 and of UNIFIED types, which are errors.
 * Entries of class DESCRIPTOR are errors for any placeholder (each case was tried). */
static struct relocation_decision decide_placeholder(const struct relocation_type *type,
                                                     uint32_t number, bool is_unified,
                                                     const struct relocation_target *target)
{
    if (class_of(type, target) == RELOCATION_DESCRIPTOR)
        return decide_failure(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    if (target->symbol->linker_made == LINKER_SYMBOL_CODE_OFFSET)
        return DROP;
    return number == 0 || is_unified ? decide_failure(DIAGNOSTIC_RELOCATION_DELETED_SYMBOL) : DROP;
}

static bool is_frames(const struct elf_section *section)
{
    return strcmp(section->name, ".debug_frame") == 0;
}

/* Returns the size of the entry's field, or 1 if the size is not known. It is unknown in the
 * Mercury view, because relocation_size returns the size of an instruction there, even for some
 * types that are used in data. */
static uint64_t field_size(const struct elf_section *relocations,
                           const struct elf_relocation *entry)
{
    const struct relocation_type *type = relocation_type_find(entry->type);
    unsigned size = type && relocations->view == VIEW_NATIVE ? relocation_size(type) : 0;
    return size ? size : 1;
}

/* Returns the state of a relocation field in a section whose pieces were moved separately:
 *
 *   - RANGE_REMOVED: the field is in removed records of debug information, or in constants that
 *     were removed when their bank was packed. Call frame information that refers to itself has
 *     this state, too, because debug_frame.c has already written the offset.
 *   - RANGE_CUT: a part of the field is removed. This happens only if an input is damaged.
 *
 * The function is not inlined: its caller would then save and restore registers for each entry,
 * even in sections whose pieces were not moved. */
__attribute__((noinline)) static enum range_state
moved_field_state(const struct input_object *object, const struct elf_section *relocations,
                  const struct elf_relocation *entry)
{
    uint64_t offset = 0;
    if (!object->symbols[entry->symbol] && is_frames(&object->elf.sections[relocations->info]))
        return RANGE_REMOVED;
    return contribution_range(object, relocations->info, entry->offset,
                              field_size(relocations, entry), &offset);
}

static inline enum range_state field_state(const struct input_object *object,
                                           const struct elf_section *relocations,
                                           const struct elf_relocation *entry)
{
    return contribution_is_moved(object, relocations->info)
               ? moved_field_state(object, relocations, entry)
               : RANGE_KEPT;
}

/* Decides an entry of a relocatable output. Only entries that describe unused copies and some of
 * class YIELD are dropped. An entry whose symbol and section are not in the output is changed to
 * refer to symbol 0, whose value is 0. From sm_100 on, entries for symbol 0 are resolved instead,
 * because they make nvlink's final link crash. Debug information has such entries for a variable
 * whose range begins in code that the compiler removed (observed with -G). */
static struct relocation_decision decide_for_relinking(link_context *link,
                                                       const struct input_object *object,
                                                       const struct elf_section *relocations,
                                                       const struct elf_relocation *entry)
{
    struct relocation_target target = relocation_target_find(link, object, relocations, entry);
    if (target.kind == TARGET_FUNCTION && describes_unused_copy(object, relocations, entry->symbol))
        return DROP;
    target.symbol = object->symbols[entry->symbol];
    if (target.section && target.removed)
        target.section = NULL;
    const struct relocation_type *type = relocation_type_find(entry->type);
    bool is_yield = type && type->class == RELOCATION_YIELD && target.kind == TARGET_NONE;
    if (is_yield && !link->relocate->precedes_volta)
        return DROP; /* The output records only the lowest virtual SM of its inputs. From this the
                        final link cannot decide whether all inputs precede Volta. */
    if (!target.symbol && !target.section && type && link_has_mercury(link))
        return decide_value(type, 0, SHT_NULL, &target);
    return keep(type, entry->type, &target);
}

/* Decides an entry by the kind of its target. relocation_decide has already decided those that
 * refer to functions. */
static struct relocation_decision decide_target(const link_context *link,
                                                const struct relocation_type *type, uint32_t number,
                                                bool is_unified,
                                                const struct relocation_target *target)
{
    switch (target->kind) {
    case TARGET_GLOBAL:
        return decide_global(type, number, target);
    case TARGET_TEXTURE:
        return is_unified ? keep(type, number, target)
                          : decide_texture(type, number, target,
                                           start_of_slots(link, number, target->for_mercury));
    case TARGET_RESERVED:
        return decide_reserved(type, number, target);
    case TARGET_PLACEHOLDER:
        return decide_placeholder(type, number, is_unified, target);
    case TARGET_FUNCTION: /* see relocation_decide */
    case TARGET_NONE:
    case TARGET_SHARED:
    case TARGET_PLACED:
        break;
    }
    return decide_placed(link, type, number, target);
}

/* Most entries refer to functions. These are decided from the symbol alone, so that the target need
 * not be looked up. */
struct relocation_decision relocation_decide(link_context *link, struct input_object *object,
                                             const struct elf_section *relocations,
                                             const struct elf_relocation *entry)
{
    enum range_state field = field_state(object, relocations, entry);
    if (field == RANGE_REMOVED || !relocation_is_read(object, relocations, entry))
        return DROP; /* checked before RANGE_CUT: an entry that is not read may be cut */
    if (field == RANGE_CUT)
        return decide_failure(DIAGNOSTIC_RELOCATION_CUT);
    if (link->options.relocatable)
        return decide_for_relinking(link, object, relocations, entry);
    uint32_t number = entry->type;
    const struct relocation_type *type = relocation_type_find(number);
    /* With an index file, a type that has a replacement is not replaced but kept, because the
     * driver then assigns the address of the target (observed). */
    bool is_unified = type && type->replacement;
    if (is_unified && !link->options.unified_index) {
        number = type->replacement;
        type = relocation_type_find(number);
    }
    bool for_mercury = relocations->view == VIEW_MERCURY;
    const struct symbol *symbol = object->symbols[entry->symbol];
    if (symbol && symbol->function)
        return describes_unused_copy(object, relocations, entry->symbol)
                   ? DROP
                   : decide_function(type, number, symbol, for_mercury);
    struct relocation_target target = relocation_target_find(link, object, relocations, entry);
    target.for_mercury = for_mercury;
    if (target.kind == TARGET_NONE)
        target.value = link->output.null_symbol_value;
    return decide_target(link, type, number, is_unified, &target);
}
