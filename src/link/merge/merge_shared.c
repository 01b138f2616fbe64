/* Merges shared memory: collects the shared variables of the inputs, and makes the sections of
 * kernels.
 *
 * Part of pass_merge. Makes: the lists of shared variables, each kernel's .nv.shared.K, and
 * .nv_debug.shared for variables that belong to no kernel yet. layout_shared assigns addresses to
 * the variables. In a relocatable output no addresses are assigned, and the inputs' sections are
 * kept as they are. */
#include "link/merge/merge_shared.h"

#include <assert.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/merge/merge_sections.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/model/whole_programs.h"

/* --------------------------------------------------------------------------------------------- */
/* Sections of kernels                                                                           */

void merge_add_shared(link_context *link, struct function *kernel)
{
    struct linked_name *name = link_section_name(link, PREFIX_SHARED, kernel->symbol->name);
    kernel->shared = output_add_named_after(link, name, kernel, SHAPE_SHARED);
    if (!kernel->shared->info)
        kernel->shared->info = kernel->text;
}

void merge_late_shared(link_context *link, struct function *kernel)
{
    merge_add_shared(link, kernel);
    kernel->shared->dropped = !kernel->kept;
}

/* --------------------------------------------------------------------------------------------- */
/* Variables                                                                                     */

static struct shared_variable *new_shared_variable(link_context *link, struct symbol *symbol)
{
    struct shared_variable *variable = ARENA_NEW(&link->arena, struct shared_variable);
    variable->symbol = symbol;
    symbol->shared = variable;
    return variable;
}

/* Returns the alignment of a defined shared variable. In relocatable files st_value is the
 * alignment. In whole programs st_value is the address that the compiler has assigned in the
 * kernel's memory, or has no meaning for variables of .nv_debug.shared (observed; only with -G do
 * shared variables of whole programs have symbols). */
static uint64_t defined_alignment(const struct input_object *object, const struct elf_symbol *input)
{
    return input->value && !object_is_whole_program(object) ? input->value : 1;
}

/* Adds a variable for a definition. If a GLOBAL variable supersedes a weak one, both get space
 * (observed), and the symbol has the address of the one that is placed last. */
static void define_variable(link_context *link, const struct input_object *object,
                            struct symbol *symbol, const struct elf_symbol *input)
{
    const struct elf_section *section = &object->elf.sections[input->section];
    struct shared_variable *replaced = symbol->shared;
    struct shared_variable *variable = new_shared_variable(link, symbol);
    variable->superseded = replaced;
    variable->size = input->size;
    variable->alignment = defined_alignment(object, input);
    if (input_section_kind(section) == INPUT_SHARED_ENTRY) {
        struct function *kernel =
            shared_section_owner(input_section_function(object, section, NULL)->function);
        variable->kernel = kernel;
        variable->is_placed = object_is_whole_program(object);
        variable->offset = input->value;
        shared_add_own(link, kernel, variable);
    } else {
        *ARENA_APPEND(&link->arena, link->merge, shared_variables) = variable;
    }
}

/* The value of an undefined symbol should be its alignment, but objects can contain any value. A
 * value that is no valid alignment is read as 1. */
static uint64_t declared_alignment(const struct elf_symbol *input)
{
    bool is_valid = input->value && input->value <= ELF_LARGEST_ALIGNMENT &&
                    !(input->value & (input->value - 1));
    return is_valid ? input->value : 1;
}

/* Adds the variable of an accepted definition, or of the first reference to extern shared memory.
 * Further references raise the variable's alignment. */
static void add_variable(link_context *link, struct input_object *object, uint32_t index,
                         const struct elf_symbol *input)
{
    struct symbol *symbol = object->symbols[index];
    object->has_shared = true;
    uint8_t copy = object->copies[index];
    bool is_file_variable =
        input->section != SHN_UNDEF &&
        input_section_kind(&object->elf.sections[input->section]) == INPUT_SHARED_FILE;
    uint64_t alignment = is_file_variable ? defined_alignment(object, input) : 0;
    if (copy != COPY_DISCARDED && alignment > link->merge->shared_file_alignment)
        link->merge->shared_file_alignment = alignment;
    if (copy_is_accepted(copy) && !symbol_is_extern_shared(symbol)) {
        define_variable(link, object, symbol, input);
    } else if (symbol_is_extern_shared(symbol) && !symbol->shared) {
        struct shared_variable *variable = new_shared_variable(link, symbol);
        variable->is_extern = true;
        variable->alignment = declared_alignment(input);
        *ARENA_APPEND(&link->arena, link->merge, shared_variables) = variable;
    } else if (symbol_is_extern_shared(symbol)) {
        uint64_t declared = declared_alignment(input);
        if (symbol->shared->alignment < declared)
            symbol->shared->alignment = declared;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Relocatable outputs                                                                           */

/* Appends an input section of shared memory in a relocatable output: .nv.shared.K,
 * .nv_debug.shared, or the reserved shared memory. */
void merge_kept_shared(link_context *link, struct input_object *object, uint32_t section)
{
    const struct elf_section *input = &object->elf.sections[section];
    if (object->contributions[section].section)
        return;
    switch (input_section_kind(input)) {
    case INPUT_SHARED_ENTRY:
        output_append(link, input_section_function(object, input, NULL)->function->shared, object,
                      section);
        break;
    case INPUT_SHARED_FILE:
        if (!link_intern(link, input->name)->section)
            output_add_shared(link, input->name, SHAPE_SHARED_FILE)->alignment = 1;
        merge_append(link, object, section, SHAPE_SHARED_FILE);
        assert(object->contributions[section].section);
        object->contributions[section].section->has_symbol = true;
        break;
    default:
        merge_append(link, object, section, SHAPE_SHARED_RESERVED);
        break;
    }
}

/* Adds a symbol to the list of kept shared symbols. The list has the order in which a direct link
 * would read the symbols, because the final link must use the same order: that of the definitions,
 * or, for extern shared memory, of the first references. */
static void note_kept_shared(link_context *link, struct symbol *symbol, bool is_used)
{
    if (symbol->is_kept_shared || !(is_used || symbol_is_extern_shared(symbol)))
        return;
    symbol->is_kept_shared = true;
    *ARENA_APPEND(&link->arena, link->merge, kept_shared) = symbol;
}

/* Keeps a symbol in a relocatable output. The symbol's value is still the alignment, because the
 * section is not laid out. */
static void keep_symbol(link_context *link, struct input_object *object, uint32_t index,
                        const struct elf_symbol *input)
{
    struct symbol *symbol = object->symbols[index];
    uint8_t copy = object->copies[index];
    if (copy_is_accepted(copy))
        merge_kept_shared(link, object, input->section);
    if (copy == COPY_USED) {
        symbol->section = object->contributions[input->section].section;
        symbol->value = input->value;
        TRACE(&link->trace, TRACE_SHARED_IN_PLACE, symbol_name(symbol),
              (unsigned long long)input->value);
    }
    note_kept_shared(link, symbol, copy == COPY_USED);
    output_place_symbol(link, symbol);
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

/* Makes .nv_debug.shared, for variables at file scope and extern shared memory. */
static void require_file_section(link_context *link)
{
    struct output *output = &link->output;
    if (!output->shared_file && !link->options.relocatable)
        output->shared_file = output_add_shared(link, ".nv_debug.shared", SHAPE_SHARED_FILE);
}

static void refuse_global(link_context *link, const struct input_object *object, uint32_t index,
                          const struct elf_symbol *input)
{
    const char *name = symbol_name(object->symbols[index]);
    if (link->diagnostics.fatals)
        return; /* nvlink ends the link at the first such variable */
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_ENTRY_DATA_GLOBAL, object->name, name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_ENTRY_DATA_PLACE, object->name, name,
                      object->name, object->elf.sections[input->section].name, name);
}

/* Adds the variable of a symbol. If the output is relocatable, keeps the symbol as it is instead. A
 * GLOBAL variable in a kernel's section is refused. */
void merge_shared_symbol(link_context *link, struct input_object *object, uint32_t index,
                         const struct elf_symbol *input)
{
    struct symbol *symbol = object->symbols[index];
    bool defined = input->section != SHN_UNDEF;
    bool is_file_variable =
        defined && input_section_kind(&object->elf.sections[input->section]) == INPUT_SHARED_FILE;
    if ((is_file_variable && object->copies[index] != COPY_DISCARDED) ||
        symbol_is_extern_shared(symbol))
        require_file_section(link);
    if (defined && !is_file_variable && input->binding == STB_GLOBAL) {
        refuse_global(link, object, index, input);
        return;
    }
    if (link->options.relocatable) {
        keep_symbol(link, object, index, input);
        return;
    }
    add_variable(link, object, index, input);
    symbol->dropped =
        !shared_keeps_name(link, symbol) && (symbol->defined || symbol_is_extern_shared(symbol));
    output_place_symbol(link, symbol);
}

/* Returns the output section of an input section of reserved shared memory. The name of an input
 * section is looked up only once, because a million variables can be in a section with a long
 * name. */
static struct output_section *reserved_section(link_context *link,
                                               const struct input_object *object,
                                               const struct elf_section *section)
{
    struct reserved_sections *known = &link->merge->reserved;
    if (known->object != object)
        *known = (struct reserved_sections){
            object, ARENA_ARRAY(&link->arena, struct output_section *, object->elf.section_count)};
    struct output_section **output = &known->outputs[section->index];
    if (!*output)
        *output = output_add_shared(link, section->name, SHAPE_SHARED_RESERVED);
    return *output;
}

/* Adds a variable of the reserved shared memory to the list of its output section. layout_shared
 * assigns offsets to the variables of this list. */
void merge_reserved_shared(link_context *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input)
{
    if (link->options.relocatable) {
        keep_symbol(link, object, index, input);
        return;
    }
    if (object->copies[index] == COPY_DISCARDED)
        return;
    struct symbol *symbol = object->symbols[index];
    const struct elf_section *section = &object->elf.sections[input->section];
    struct shared_variable *variable = ARENA_NEW(&link->arena, struct shared_variable);
    variable->symbol = symbol;
    variable->size = input->size;
    variable->alignment = input->value ? input->value : 1;
    struct output_section *output = reserved_section(link, object, section);
    output->flags = elf_view_section_flags(&object->elf, section);
    symbol->section = output;
    struct rare_section *rare = output_add_rare(link, output);
    if (!rare->reserved_count)
        *ARENA_APPEND(&link->arena, &link->output, reserved) = output;
    *ARENA_APPEND(&link->arena, rare, reserved) = variable;
    output_place_symbol(link, symbol);
}

/* Adopts the compiler's layout of shared memory in whole programs. The layout must not change,
 * because the code contains the addresses of shared variables relative to the start of the kernel's
 * memory.
 *
 * If add_function_sections (merge.c) has not made a kernel's .nv.shared.K, it is made here, after
 * the object's other sections (observed on sm_80 and sm_90 in 80 links with -kernels-used, with and
 * without --preserve-relocs). */
void whole_programs_place(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; object_is_whole_program(object) && i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        uint32_t index = 0;
        if (input_section_kind(section) != INPUT_SHARED_ENTRY)
            continue;
        const struct symbol *owner = input_section_function(object, section, &index);
        if (!owner || !owner->function || object->copies[index] != COPY_USED)
            continue;
        if (!owner->function->shared)
            merge_late_shared(link, owner->function);
        struct shared_memory *memory = function_add_shared_memory(link, owner->function);
        uint64_t alignment = elf_section_alignment(section);
        memory->end = section->size;
        memory->placed_alignment = alignment ? alignment : 1;
        if (link->options.relocatable)
            merge_kept_shared(link, object, i);
    }
}
