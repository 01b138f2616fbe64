/* What a final link does with one relocation; see relocations.h.
 *
 * The kind of the target decides first, then the class of the type: functions and global memory are
 * the driver's to place, so what refers to them is kept; constants and shared memory have their
 * final addresses, so what refers to them is written. Every type was tried against every kind of
 * target with patched objects (nvlink 13.0.88); docs/format.md has the table. */
#include "link/relocations.h"

#include "link/shared.h"
#include "link/weak.h"

static const struct relocation_decision DROP = {.action = ACTION_DROP};

static struct relocation_decision fail(enum diagnostic_name error)
{
    return (struct relocation_decision){.action = ACTION_FAIL, .error = error};
}

/* nvlink computes the bank of any target so; for what is not constant memory the number means
 * nothing, but it stands in the fields (6 for shared memory, 28 without a section, 29 for code). */
static uint32_t bank_of_type(uint32_t section_type)
{
    return (section_type - SHT_CUDA_CONSTANT0) % 32;
}

enum relocation_target {
    TARGET_NONE, /* symbol 0 or an untyped symbol: value 0 */
    TARGET_FUNCTION,
    TARGET_GLOBAL,
    TARGET_TEXTURE,
    TARGET_SHARED,
    TARGET_PLACED, /* constants and sections: the address is known */
    TARGET_PLACEHOLDER,
};

struct target {
    enum relocation_target kind;
    const struct symbol *symbol;
    const struct output_section *section; /* of a section symbol */
    uint64_t value;
    uint32_t section_type;
    bool present; /* in the output at all */
};

static struct target section_target(const struct input_object *object, uint32_t index)
{
    const struct elf_section *section = &object->elf.sections[index];
    const struct contribution *home = &object->contributions[index];
    bool global = section->type == SHT_CUDA_GLOBAL || section->type == SHT_CUDA_GLOBAL_INIT;
    return (struct target){.kind = global ? TARGET_GLOBAL : TARGET_PLACED,
                           .section = home->section,
                           .value = home->offset,
                           .section_type = section->type,
                           .present = home->section != NULL};
}

static uint32_t definition_section_type(const struct symbol *symbol)
{
    if (!symbol->defined)
        return SHT_NULL;
    const struct elf_view *elf = &symbol->object->elf;
    struct elf_symbol input = elf_view_symbol(elf, VIEW_NATIVE, symbol->input_index);
    return input.section < elf->section_count ? elf->sections[input.section].type : SHT_NULL;
}

/* The address of extern shared memory depends on the function whose code asks; from data and in
 * functions that no kernel reaches there is none, and the value is -1 (observed), with -g the
 * symbol's. */
static uint64_t shared_value(const link_context *link, const struct input_object *object,
                             const struct shared_variable *shared, const struct elf_section *place)
{
    if (!shared->is_extern)
        return shared->offset;
    const struct symbol *owner = input_section_function(object, place, NULL);
    uint64_t address = owner && owner->function ? owner->function->extern_shared : UINT64_MAX;
    return address == UINT64_MAX && link->options.debug ? shared->offset : address;
}

static struct target symbol_target(const link_context *link, const struct input_object *object,
                                   const struct symbol *symbol, const struct elf_section *place)
{
    struct target target = {.symbol = symbol, .value = symbol->value, .present = true};
    if (symbol->function) {
        const struct function *aliased = symbol->function->alias_of;
        target.kind = TARGET_FUNCTION;
        target.present = symbol->function->kept;
        target.symbol = aliased ? aliased->symbol : symbol;
    } else if (symbol->name_only) {
        target.kind = TARGET_PLACEHOLDER;
    } else if (symbol->is_texture) {
        target.kind = TARGET_TEXTURE;
        target.value = symbol->texture_slot;
    } else if (symbol->shared) {
        target.kind = TARGET_SHARED;
        bool no_section = symbol->shared->is_extern && input_section_function(object, place, NULL);
        target.section_type = no_section ? SHT_NULL : SHT_CUDA_SHARED;
        target.value = shared_value(link, object, symbol->shared, place);
    } else {
        uint8_t space = symbol->other & STO_CUDA_SPACE;
        target.section_type = definition_section_type(symbol);
        bool global = space == STO_CUDA_GLOBAL || target.section_type == SHT_CUDA_GLOBAL ||
                      target.section_type == SHT_CUDA_GLOBAL_INIT || symbol->common;
        target.kind = global ? TARGET_GLOBAL : TARGET_PLACED;
    }
    return target;
}

static struct target find_target(const link_context *link, const struct input_object *object,
                                 uint32_t index, const struct elf_section *place)
{
    const struct symbol *symbol = object->symbols[index];
    if (symbol)
        return symbol_target(link, object, symbol, place);
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    if (index && input.type == STT_SECTION && input.section < object->elf.section_count)
        return section_target(object, input.section);
    return (struct target){.kind = TARGET_NONE, .present = true};
}

/* --------------------------------------------------------------------------------------------- */
/* By kind of target                                                                             */

static struct relocation_decision keep(const struct relocation_type *type, uint32_t number,
                                       const struct target *target)
{
    return (struct relocation_decision){
        .action = ACTION_KEEP,
        .type = type,
        .number = number,
        .symbol = target->section ? NULL : target->symbol,
        .section = target->section,
        .addend_shift = target->section ? target->value : 0,
    };
}

static struct relocation_decision write_value(const struct relocation_type *type, uint64_t value,
                                              uint32_t section_type)
{
    return (struct relocation_decision){
        .action = ACTION_WRITE, .type = type, .value = value, .bank = bank_of_type(section_type)};
}

/* Records about a function in some debug sections belong to the copy that they came with. */
static bool describes_lost_copy(const struct input_object *object,
                                const struct elf_section *relocations, uint32_t symbol)
{
    const struct elf_section *place = &object->elf.sections[relocations->info];
    return weak_copy_is_forgotten(object, relocations, symbol) && weak_section_follows_copy(place);
}

static struct relocation_decision decide_function(const struct relocation_type *type,
                                                  uint32_t number, const struct target *target)
{
    unsigned class = type ? type->class : RELOCATION_END;
    if (class == RELOCATION_NONE)
        return DROP;
    if (class == RELOCATION_CLEAR)
        return target->present ? DROP
                               : (struct relocation_decision){.action = ACTION_CLEAR, .type = type};
    return target->present ? keep(type, number, target) : DROP;
}

static struct relocation_decision decide_texture(const struct relocation_type *type,
                                                 uint32_t number, const struct target *target)
{
    if (!type || type->class == RELOCATION_END)
        return keep(type, number, target);
    if (type->class == RELOCATION_DESCRIPTOR)
        return fail(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    if (type->class == RELOCATION_PC_RELATIVE)
        return fail(DIAGNOSTIC_RELOCATION_PC_RELATIVE);
    switch ((enum relocation_texture)type->texture) {
    case TEXTURE_RESOLVED: /* bank 0 */
        return write_value(type, target->value, SHT_CUDA_CONSTANT0);
    case TEXTURE_ZERO:
        return write_value(type, 0, SHT_NULL);
    case TEXTURE_DROPPED:
        return DROP;
    case TEXTURE_CLEARED:
        return (struct relocation_decision){.action = ACTION_KEEP, .type = type, .number = 0};
    case TEXTURE_KEPT:
        break;
    }
    return keep(type, number, target);
}

static struct relocation_decision decide_placed(const struct relocation_type *type, uint32_t number,
                                                const struct target *target)
{
    unsigned class = type ? type->class : RELOCATION_END;
    switch ((enum relocation_class) class) {
    case RELOCATION_NONE:
    case RELOCATION_IGNORED:
        return DROP;
    case RELOCATION_CLEAR: /* shared symbols do not reach the output */
        return target->kind == TARGET_SHARED && target->symbol->dropped
                   ? (struct relocation_decision){.action = ACTION_CLEAR, .type = type}
                   : DROP;
    case RELOCATION_VALUE:
        return write_value(type, target->value, target->section_type);
    case RELOCATION_SLOT:
        return write_value(type, 0, target->section_type);
    case RELOCATION_LOADER:
        return target->kind == TARGET_SHARED ? fail(DIAGNOSTIC_RELOCATION_DELETED_SYMBOL)
                                             : keep(type, number, target);
    case RELOCATION_DESCRIPTOR:
        return fail(DIAGNOSTIC_RELOCATION_DESCRIPTOR);
    case RELOCATION_PC_RELATIVE:
        return fail(DIAGNOSTIC_RELOCATION_PC_RELATIVE);
    case RELOCATION_UNIFIED:
    case RELOCATION_END:
        break;
    }
    return fail(DIAGNOSTIC_RELOCATION_TYPE);
}

struct relocation_decision relocation_decide(link_context *link, struct input_object *object,
                                             const struct elf_section *relocations,
                                             const struct elf_relocation *entry)
{
    const struct elf_section *place = &object->elf.sections[relocations->info];
    struct target target = find_target(link, object, entry->symbol, place);
    uint32_t number = entry->type;
    const struct relocation_type *type = relocation_type_find(number);
    if (type && type->replacement) {
        number = type->replacement;
        type = relocation_type_find(number);
    }
    switch (target.kind) {
    case TARGET_FUNCTION:
        if (describes_lost_copy(object, relocations, entry->symbol))
            return DROP;
        return decide_function(type, number, &target);
    case TARGET_GLOBAL:
        return target.present || target.symbol ? keep(type, number, &target) : DROP;
    case TARGET_TEXTURE:
        return decide_texture(type, number, &target);
    case TARGET_PLACEHOLDER:
        return DROP;
    default:
        return target.present ? decide_placed(type, number, &target) : DROP;
    }
}
