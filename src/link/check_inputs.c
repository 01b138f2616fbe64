/* Agreement between the inputs that no single symbol shows.
 *
 * Part of resolve, object by object, because nvlink ends the link after the first object with a
 * conflict: reports functions whose prototype differs from what an earlier object said. resolve has
 * compared what symbol tables say, load what a file's header says. */
#include "link/link.h"

/* The first prototype that is read stays the one that later ones are compared with. The file named
 * second is that of the definition as far as it is known by now, so when a definition follows a
 * reference both names are its file (as nvlink). */
static void check_prototype(link_context *link, struct input_object *object, struct elf_pair pair)
{
    struct symbol *symbol = object->symbols[pair.first];
    if (!symbol || !symbol->function || object->copies[pair.first] == COPY_REJECTED)
        return;
    const char *text = elf_view_string(&object->elf, VIEW_NATIVE, (uint32_t)pair.second);
    struct linked_name *prototype = link_intern(link, text);
    if (!symbol->function->prototype)
        symbol->function->prototype = prototype;
    else if (symbol->function->prototype != prototype)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_PROTOTYPE_MISMATCH, object->name,
                          symbol->name->name.text, symbol->name->name.text, object->name,
                          symbol->object->name);
}

static void check_address_taken(link_context *link, struct input_object *object,
                                const struct elf_section *section)
{
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first == 0 && pair.second < 0)
            heading = pair.second;
        else if (heading == CALLGRAPH_ADDRESS_TAKEN)
            check_prototype(link, object, pair);
    }
}

void check_inputs(link_context *link, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (section->type == SHT_CUDA_CALLGRAPH)
            check_address_taken(link, object, section);
        for (uint32_t p = 0; section->type == SHT_CUDA_PROTOTYPE && p < section->entry_count; p++)
            check_prototype(link, object, elf_section_pair(section, p));
    }
}
