/* Objects of nvcc -ewp; see whole_programs.h.
 *
 * All was observed with objects of nvcc 13.0.88 -ewp for sm_80 and sm_90, alone, with the device
 * runtime and with ordinary objects. */
#include "link/model/whole_programs.h"

#include "link/model/shared.h"

bool object_is_whole_program(const struct input_object *object)
{
    return object->elf.type == ET_WHOLE_PROGRAM;
}

/* What was read before the first such object may be older (observed); nothing after it is of
 * another release. */
bool whole_programs_accept(link_context *link, const struct input_object *object)
{
    if (object_is_whole_program(object) && !link->has_whole_program)
        link->whole_program_toolkit = link->toolkit;
    link->has_whole_program |= object_is_whole_program(object);
    uint16_t newest = WARPLD_NEWEST_TOOLKIT_VERSION;
    uint16_t toolkit = object->toolkit < newest ? object->toolkit : newest;
    return !link->has_whole_program ||
           (elf_view_abi(&object->elf) == ABIVERSION_CUDA && toolkit == link->toolkit &&
            toolkit == link->whole_program_toolkit);
}

bool whole_programs_join(link_context *link, const struct input_object *object)
{
    link->has_ordinary_object |= !object_is_whole_program(object);
    return !link->options.relocatable || !link->has_whole_program || !link->has_ordinary_object;
}

void whole_programs_check(link_context *link, const struct input_object *object)
{
    if (link->has_whole_program && !object_is_whole_program(object) && !object->unit->is_runtime)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_WHOLE_PROGRAM_MIXED, object->name, NULL,
                          object->name);
}

/* Code holds the variables' addresses, which count from the beginning of the kernel's memory. */
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

/* Its memory has its places; extern shared memory comes behind, as for any kernel. */
void whole_programs_refuse(link_context *link, const struct symbol *variable,
                           const struct function *kernel)
{
    const struct input_object *object = kernel->symbol->object;
    const char *name = symbol_name(kernel->symbol);
    if (object_is_whole_program(object))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_WHOLE_PROGRAM_SHARED, object->name, name,
                          symbol_name(variable), name);
}
