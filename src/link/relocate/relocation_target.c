/* Finds the targets of relocations; see relocation_target.h.
 *
 * relocations.c calls these functions, for scan and for the writer. Each kind of target was tried
 * with patched objects (nvlink 13.0.88). */
#include "link/relocate/relocation_target.h"

#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "format/unified_index.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/model/views.h"

/* Returns the output section that contains the used copy of the function to which a code section
 * belongs. NULL if the function is removed. */
static const struct output_section *used_code(const struct input_object *object,
                                              const struct elf_section *section)
{
    const struct symbol *owner = input_section_function(object, section, NULL);
    return owner && owner->function && owner->function->kept ? owner->function->text : NULL;
}

/* Returns the target for a section symbol. It is TARGET_NONE if the link generates the section,
 * such as the call graph, and does not copy it from an input: nvlink treats a relocation that
 * refers to such a symbol as if it referred to symbol 0 (observed). */
struct relocation_target relocation_target_of_section(const struct input_object *object,
                                                      uint32_t index)
{
    const struct elf_section *section = &object->elf.sections[index];
    const struct contribution *home = &object->contributions[index];
    enum input_kind kind = input_section_kind(section);
    if (kind == INPUT_OTHER || kind == INPUT_UNKNOWN || kind == INPUT_INFO ||
        kind == INPUT_RELOCATIONS)
        return (struct relocation_target){.kind = TARGET_NONE};
    const struct output_section *home_section = home->section;
    if (!home_section && kind == INPUT_TEXT)
        home_section = used_code(object, section);
    bool global = kind == INPUT_GLOBAL || kind == INPUT_GLOBAL_INIT;
    return (struct relocation_target){.kind = global ? TARGET_GLOBAL : TARGET_PLACED,
                                      .section = home_section,
                                      .value = home->offset,
                                      .slot = home->offset,
                                      .section_type = section->type,
                                      .removed = !home_section || home_section->dropped};
}

/* Sets the value for a shared variable. The address of extern shared memory depends on the function
 * whose code contains the relocation. In data, and in functions that no kernel reaches, extern
 * shared memory has no address: the value is -1 (observed), or, with -g, the value of the symbol.
 *
 * Shared variables have no slots, but nvlink writes their alignment into fields of SLOT types
 * (observed for variables aligned to 4, 8 and 16 and for extern shared memory, which is aligned to
 * 16). */
static void set_shared_value(const link_context *link, const struct input_object *object,
                             const struct elf_section *relocations,
                             const struct shared_variable *shared, struct relocation_target *target)
{
    target->section_type = SHT_CUDA_SHARED;
    target->value = shared->offset;
    target->slot = shared->alignment;
    if (!shared->is_extern) {
        if (!shared->used && !shared->kernel)
            target->value = UINT64_MAX;
        return;
    }
    const struct elf_section *relocated = relocation_native_section(object, relocations);
    const struct symbol *owner = input_section_kind(relocated) == INPUT_TEXT
                                     ? input_section_function(object, relocated, NULL)
                                     : NULL;
    uint64_t address = owner && owner->function
                           ? function_shared_memory(owner->function)->extern_address
                           : UINT64_MAX;
    if (owner && !link_is_for_debugger(link))
        target->section_type = SHT_NULL;
    target->slot = address == UINT64_MAX ? 0 : EXTERN_SHARED_ALIGNMENT;
    target->dynamic = address != UINT64_MAX;
    if (address != UINT64_MAX || !link_is_for_debugger(link))
        target->value = address;
}

static bool target_is_in_global_memory(const struct symbol *symbol, uint32_t section_type)
{
    return (symbol->other & STO_CUDA_SPACE) == STO_CUDA_GLOBAL || symbol->common ||
           section_type == SHT_CUDA_GLOBAL || section_type == SHT_CUDA_GLOBAL_INIT;
}

/* Whether a shared variable belongs to a removed kernel. Such a variable has no address, and debug
 * information has -1 instead (observed with -kernels-used and -G). */
static bool is_memory_of_removed_kernel(const struct symbol *symbol)
{
    const struct input_object *object = symbol->object;
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, symbol->input_index);
    const struct symbol *owner =
        input_section_function(object, &object->elf.sections[input.section], NULL);
    return owner && owner->function && !owner->function->kept;
}

/* Returns the target for a section of the Mercury view. Its offset in the output section can differ
 * from that of its native counterpart; all else is the same. */
static struct relocation_target mercury_section_target(const struct input_object *object,
                                                       uint32_t index)
{
    uint32_t native = object->other_view[index];
    if (object->elf.sections[index].view == VIEW_NATIVE || !native)
        return relocation_target_of_section(object, index);
    struct relocation_target target = relocation_target_of_section(object, native);
    target.value = target.slot = object->contributions[index].offset;
    return target;
}

struct relocation_target relocation_target_of_part(const struct input_object *object,
                                                   enum code_view view, uint32_t section)
{
    return view == VIEW_MERCURY ? mercury_section_target(object, section)
                                : relocation_target_of_section(object, section);
}

/* Whether references to the symbol are decided by decide_placeholder. This is so in two cases: only
 * the symbol's name is in the output, or the symbol is LINKER_SYMBOL_CODE_OFFSET and there is no
 * unified function table. With an index file, all other placeholders are in the output, and
 * references to them are kept (observed on sm_90). */
static bool is_placeholder(const link_context *link, const struct symbol *symbol)
{
    if (symbol->name_only)
        return true;
    return !link->unified[UNIFIED_FUNCTIONS].contents &&
           symbol->linker_made == LINKER_SYMBOL_CODE_OFFSET;
}

/* Finds the kind and value of the target, and the type of its section. The symbol is not a section
 * symbol. */
static struct relocation_target symbol_target(const link_context *link,
                                              const struct input_object *object,
                                              const struct elf_section *relocations,
                                              const struct symbol *symbol)
{
    struct relocation_target target = {.symbol = symbol, .value = symbol->value};
    if (symbol->function) {
        target.kind = TARGET_FUNCTION; /* decide_function needs no more */
    } else if (symbol->linker_made) {
        target.kind = is_placeholder(link, symbol) ? TARGET_PLACEHOLDER : TARGET_RESERVED;
    } else if (symbol->is_texture) {
        target.kind = TARGET_TEXTURE;
        target.value = symbol_rare(symbol)->texture_slot;
    } else if (symbol->shared) {
        target.kind = TARGET_SHARED;
        set_shared_value(link, object, relocations, symbol->shared, &target);
    } else {
        target.section_type = symbol->defined ? symbol->section_type : SHT_NULL;
        if (target.section_type == SHT_CUDA_SHARED && is_memory_of_removed_kernel(symbol))
            target.value = UINT64_MAX;
        target.kind =
            target_is_in_global_memory(symbol, target.section_type) ? TARGET_GLOBAL : TARGET_PLACED;
    }
    return target;
}

/* Adjusts the value if the target is a native debug section that the link regenerates. The link
 * moves parts of such a section separately, and in relocatable outputs of nvlink an addend can
 * point to such a part. With the adjusted value, the addend points to the same bytes as in the
 * input (observed with line tables without the sequences of removed functions). */
static void follow_piece(const struct input_object *object, uint32_t section, int64_t addend,
                         struct relocation_target *target)
{
    uint64_t offset = 0;
    if (input_section_kind(&object->elf.sections[section]) == INPUT_DEBUG &&
        contribution_is_moved(object, section) &&
        contribution_offset(object, section, (uint64_t)addend, &offset))
        target->value = offset - (uint64_t)addend;
}

struct relocation_target relocation_target_find(const link_context *link,
                                                const struct input_object *object,
                                                const struct elf_section *relocations,
                                                const struct elf_relocation *entry)
{
    enum code_view view = (enum code_view)relocations->view;
    const struct symbol *symbol = object->symbols[entry->symbol];
    if (symbol)
        return symbol_target(link, object, relocations, symbol);
    struct elf_symbol input = elf_view_symbol(&object->elf, view, entry->symbol);
    if (!entry->symbol || input.type != STT_SECTION || input.section >= object->elf.section_count)
        return (struct relocation_target){.kind = TARGET_NONE};
    struct relocation_target target = relocation_target_of_part(object, view, input.section);
    if (view == VIEW_NATIVE)
        follow_piece(object, input.section, entry->addend, &target);
    return target;
}
