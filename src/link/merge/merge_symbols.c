/* Merges symbols that are not functions. Also merges the sections that contain their definitions,
 * and computes their offsets in the output.
 *
 * Part of pass_merge; runs after the functions of each object. */
#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "link/merge/merge.h"
#include "link/merge/merge_sections.h"
#include "link/merge/merge_shared.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/model/views.h"

/* The value of a symbol that the linker defines. Executables and relocatable outputs have the same
 * value. */
static uint64_t reserved_value(const link_context *link, const struct symbol *symbol)
{
    if (symbol->linker_made == LINKER_SYMBOL_RESERVED_SIZE)
        return link->target->shared_reserved;
    bool first = symbol->linker_made == LINKER_SYMBOL_RESERVED_FIRST;
    return first && link_has_mercury(link) ? MERCURY_RESERVED_PART : 0;
}

/* The value of an undefined symbol (observed in symbol tables and relocation fields). */
static uint64_t undefined_value(const link_context *link, const struct symbol *symbol)
{
    if (link->options.relocatable)
        return symbol->linker_made ? reserved_value(link, symbol) : 0;
    bool local = symbol->binding == STB_LOCAL || symbol->dropped;
    if (symbol_is_weak_undefined(symbol) || (local && !symbol->linker_made))
        return UINT64_MAX;
    return symbol->linker_made ? reserved_value(link, symbol) : 0;
}

/* Whether the symbol is in a section of compiler-made constants. The output does not have the name
 * of such a symbol, whatever its visibility, unless keeps_compiler_constant returns true. */
static bool is_compiler_constant(const struct input_object *object, const struct elf_symbol *input)
{
    if (input->section == SHN_UNDEF || input->section >= object->elf.section_count)
        return false;
    const struct elf_section *section = &object->elf.sections[input->section];
    return input_section_kind(section) == INPUT_CONSTANT_ENTRY &&
           section_type_constant_bank(section->type) == CONSTANT_BANK_COMPILER;
}

/* Whether the output has the symbol of a compiler-made constant. A relocatable output has all such
 * symbols. With --preserve-relocs, an executable has these symbols for constants of two kinds of
 * functions (observed): of kernels, and of system functions that the program defines, if the
 * function has its own bank (layout_constant.c). */
static bool keeps_compiler_constant(const link_context *link, const struct input_object *object,
                                    const struct elf_symbol *input)
{
    const struct symbol *owner =
        input_section_function(object, &object->elf.sections[input->section], NULL);
    const struct function *function = owner ? owner->function : NULL;
    return link->options.relocatable || (link->options.preserve_relocations && function &&
                                         (function->entry || function->kernel));
}

/* Sets the name of a compiler-made constant whose symbol is kept. From sm_100 on, the name consists
 * of the section's name and the number of the constant among the compiler-made constants of the
 * object (observed). The symbol becomes LOCAL and INTERNAL, even if the kernel is weak (observed
 * with all bindings and visibilities). */
static void name_compiler_constant(link_context *link, struct input_object *object,
                                   struct symbol *symbol, const struct elf_symbol *input)
{
    object->compiler_constants++;
    symbol->dropped = !keeps_compiler_constant(link, object, input);
    if (symbol->dropped || link->options.relocatable)
        return;
    symbol->binding = STB_LOCAL;
    symbol->list = LIST_LOCAL;
    symbol->other = (uint8_t)((symbol->other & ~(unsigned)STO_VISIBILITY) | STV_INTERNAL);
    if (!link_has_mercury(link))
        return;
    const char *bank = object->elf.sections[input->section].name;
    const char *merged = views_merged_name(link, link_intern(link, bank))->name.text;
    symbol->name =
        link_intern(link, arena_format(&link->arena, "%s.%u", merged, object->compiler_constants));
}

static void add_texture(link_context *link, struct input_object *object, struct symbol *symbol)
{
    object->has_textures = true;
    if (symbol->is_texture)
        return;
    symbol->is_texture = true;
    *ARENA_APPEND(&link->arena, link->merge, textures) = symbol;
}

/* Merges one symbol. Textures and shared variables are added to lists that later passes lay out.
 * For any other symbol, the section of an accepted definition is merged, and the used definition
 * gives the symbol its section and offset. */
static void merge_variable(link_context *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input)
{
    struct symbol *symbol = object->symbols[index];
    if (!symbol->defined && !symbol->common) {
        symbol->value = undefined_value(link, symbol);
        if (stands_for_constant_size(symbol_name(symbol), symbol->name->name.size))
            *ARENA_APPEND(&link->arena, link->merge, constant_sizes) = symbol;
    }
    if ((input->other & STO_CUDA_SPACE) == STO_CUDA_SHARED) {
        merge_shared_symbol(link, object, index, input);
        return;
    }
    if ((input->other & STO_CUDA_SPACE) == STO_CUDA_RESERVED_SHARED && object->copies[index]) {
        merge_reserved_shared(link, object, index, input);
        return;
    }
    if (symbol_type_is_texture(input->type))
        add_texture(link, object, symbol);
    uint8_t copy = object->copies[index];
    if (copy == COPY_DISCARDED)
        return;
    if (is_compiler_constant(object, input))
        name_compiler_constant(link, object, symbol, input);
    if (copy_is_accepted(copy))
        merge_data(link, object, input->section);
    if (copy == COPY_USED) {
        const struct contribution *home = &object->contributions[input->section];
        symbol->section = home->section;
        symbol->value = home->offset + input->value;
    }
    output_place_symbol(link, symbol);
}

/* Merges a texture that is a kernel parameter. The texture is removed if its kernel is removed, but
 * not if the kernel's copy is discarded (observed with copies that differ). */
static void merge_texture_parameter(link_context *link, struct input_object *object, uint32_t index,
                                    const struct elf_symbol *input)
{
    const struct elf_section *code = &object->elf.sections[input->section];
    const struct symbol *owner = input_section_function(object, code, NULL);
    if (!owner || !owner->function || !owner->function->text)
        return;
    struct symbol *symbol = object->symbols[index];
    symbol->section = owner->function->text;
    add_texture(link, object, symbol);
    output_place_symbol(link, symbol);
}

/* What is known about the section that a symbol is in: its kind, and the function that the section
 * belongs to (NULL for sections of the whole object). */
struct home {
    struct function *function;
    enum input_kind kind;
    enum copy_state copy; /* state of the object's copy of the function */
};

static struct home symbol_home(const struct input_object *object, const struct elf_symbol *input)
{
    struct home home = {.kind = INPUT_OTHER};
    if (input->section == SHN_UNDEF || input->section >= object->elf.section_count)
        return home;
    const struct elf_section *section = &object->elf.sections[input->section];
    home.kind = input_section_kind(section);
    if (!(section->flags & SHF_INFO_LINK))
        return home;
    uint32_t owner_index = 0;
    struct symbol *owner = input_section_function(object, section, &owner_index);
    home.function = owner ? owner->function : NULL;
    home.copy = (enum copy_state)object->copies[owner_index];
    return home;
}

/* Keeps symbols of a kernel's unused copies with --preserve-relocs: symbols of parameters in any
 * copy, and symbols of compiler-made constants in a superseded copy (observed in 224 links of two
 * and three copies). */
static void keep_name(link_context *link, const struct input_object *object, uint32_t index,
                      const struct elf_symbol *input, const struct home *home)
{
    struct symbol *symbol = object->symbols[index];
    const struct function *kernel = home->function;
    const struct elf_section *section = &object->elf.sections[input->section];
    int bank = section_type_constant_bank(section->type);
    bool keeps = link->options.preserve_relocations && !link->options.relocatable;
    if (!keeps || object->copies[index] != COPY_USED || !kernel)
        return;
    if (bank == CONSTANT_BANK_PARAMETERS && kernel->parameters) {
        uint64_t offset = link_has_mercury(link)
                              ? 0
                              : merge_constant_discarded_parameters(kernel, object, section);
        symbol->section = kernel->parameters;
        symbol->value = offset + input->value;
        output_place_symbol(link, symbol);
    } else if (bank == CONSTANT_BANK_COMPILER && kernel->entry && home->copy == COPY_SUPERSEDED) {
        symbol->section = function_rare(kernel)->own_constants;
        symbol->value = input->value;
    }
}

/* Merges all symbols of an object except functions. A symbol in a section of a removed function, or
 * in constants of a discarded copy, defines nothing, but the output has some of these symbols
 * (keep_name). */
void merge_variables(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        if (!object->symbols[i] || symbol_is_function(object->symbols[i]))
            continue;
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (elf_view_is_texture_parameter(&object->elf, &input)) {
            merge_texture_parameter(link, object, i, &input);
            continue;
        }
        struct home home = symbol_home(object, &input);
        if (home.function && home.kind == INPUT_SHARED_ENTRY && !home.function->shared)
            merge_late_shared(link, home.function);
        bool of_discarded = home.kind == INPUT_CONSTANT_ENTRY && home.copy == COPY_DISCARDED;
        if (of_discarded && is_compiler_constant(object, &input))
            object->compiler_constants++; /* counted, because the numbers in the names of later
                                             constants include it (observed) */
        if (!of_discarded && (!home.function || home.function->kept))
            merge_variable(link, object, i, &input);
        /* The bank of a discarded copy itself is merged later, by merge_rest. */
        if (of_discarded || home.copy == COPY_SUPERSEDED)
            keep_name(link, object, i, &input, &home);
    }
}
