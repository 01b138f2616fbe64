/* Questions about inputs that several passes ask; declared in link.h. */
#include "link/model/link_context.h"

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

bool inputs_precede_volta(const link_context *link)
{
    enum { VOLTA = 70 };
    for (size_t i = 0; i < link->objects_count; i++)
        if (link->objects[i]->virtual_sm >= VOLTA)
            return false;
    return true;
}

struct known_file *link_known_file(link_context *link, const struct file_identity *identity)
{
    struct name_table *table = &link->known_files;
    struct known_file *found =
        name_table_find_bytes(table, (const char *)identity, sizeof *identity);
    if (found)
        return found;
    struct file_identity *copy = ARENA_NEW(ARENA, struct file_identity);
    *copy = *identity;
    return name_table_intern_bytes(table, (const char *)copy, sizeof *copy);
}

/* A link takes about three bytes for each byte of its inputs, the output included (measured with up
 * to 10,000 objects). Sets of kernels and what is copied for each of them can grow with the square
 * of the inputs; a file that was made for that must not bring the machine down. */
void inputs_allow_memory(link_context *link, uint64_t size)
{
    enum { FOR_EACH_BYTE = 256 };
    bool fits = size <= (SIZE_MAX - link->arena.limit) / FOR_EACH_BYTE;
    link->arena.limit = fits ? link->arena.limit + (size_t)size * FOR_EACH_BYTE : SIZE_MAX;
}
