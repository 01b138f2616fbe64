/* Questions about inputs that several passes ask; declared in link.h. */
#include "link/link.h"

/* The reader has given every section of memory its CUDA type. */
enum input_kind input_section_kind(const struct elf_section *section)
{
    if (section->view != VIEW_NATIVE)
        return INPUT_OTHER;
    int bank = section_type_constant_bank(section->type);
    if (bank >= 0) {
        bool special = bank == CONSTANT_BANK_PARAMETERS || bank == CONSTANT_BANK_COMPILER;
        return special && section->flags & SHF_INFO_LINK ? INPUT_CONSTANT_ENTRY
                                                         : INPUT_CONSTANT_USER;
    }
    switch (section->type) {
    case SHT_PROGBITS:
        if (section->flags & SHF_EXECINSTR)
            return INPUT_TEXT;
        return section->flags & SHF_ALLOC ? INPUT_CARRIED : INPUT_DEBUG;
    case SHT_CUDA_UFT:
        return INPUT_TEXT;
    case SHT_CUDA_UDT:
    case SHT_CUDA_UFT_ENTRY:
    case SHT_CUDA_UDT_ENTRY:
        return INPUT_UNIFIED;
    case SHT_CUDA_GLOBAL:
        return INPUT_GLOBAL;
    case SHT_CUDA_GLOBAL_INIT:
        return INPUT_GLOBAL_INIT;
    case SHT_CUDA_SHARED:
        return section->flags & SHF_INFO_LINK ? INPUT_SHARED_ENTRY : INPUT_SHARED_FILE;
    case SHT_CUDA_SHARED_RESERVED:
        return INPUT_SHARED_RESERVED;
    case SHT_CUDA_LOCAL:
        return INPUT_LOCAL;
    case SHT_CUDA_INFO:
        return INPUT_INFO;
    case SHT_REL:
    case SHT_RELA:
        return INPUT_RELOCATIONS;
    default:
        return INPUT_OTHER;
    }
}

struct symbol *input_section_function(const struct input_object *object,
                                      const struct elf_section *section, uint32_t *index)
{
    if (section->flags & SHF_INFO_LINK && input_section_kind(section) != INPUT_TEXT)
        section = &object->elf.sections[section->info];
    if (input_section_kind(section) != INPUT_TEXT)
        return NULL;
    uint32_t symbol = section->info & 0xffffff; /* the byte above is the register count */
    if (index)
        *index = symbol;
    return object->symbols[symbol];
}

bool input_function_is_used(const struct input_object *object, uint32_t symbol_index)
{
    const struct symbol *symbol = object->symbols[symbol_index];
    return symbol && symbol->function && symbol->function->kept &&
           object->copies[symbol_index] == COPY_USED;
}

uint16_t inputs_virtual_sm(const link_context *link)
{
    uint16_t virtual_sm = link->objects_count ? UINT16_MAX : link->target->number;
    for (size_t i = 0; i < link->objects_count; i++)
        if (link->objects[i]->virtual_sm < virtual_sm)
            virtual_sm = link->objects[i]->virtual_sm;
    return virtual_sm;
}
