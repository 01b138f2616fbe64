/* Questions about inputs that several passes ask; declared in link.h. */
#include "link/link.h"

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
