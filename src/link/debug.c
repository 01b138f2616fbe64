/* Debug sections: carried, never interpreted.
 *
 * Part of merge. Every debug section is the plain concatenation of the inputs' sections of its name
 * in object order, without gaps, whether or not -g is given; records of removed functions stay
 * (observed). Only .nv_debug_ptx_txt.<hash>, whose name tells its content, occurs once. */
#include <string.h>

#include "link/link.h"

void debug_merge(link_context *link, struct input_object *object, uint32_t section)
{
    static const char PTX_TEXT[] = ".nv_debug_ptx_txt.";
    const char *name = object->elf.sections[section].name;
    bool once = !strncmp(name, PTX_TEXT, sizeof PTX_TEXT - 1);
    if (once && link_intern(link, name)->section)
        return;
    struct output_section *output = output_add_shared(link, name, SHAPE_DEBUG);
    /* A section that is joined from several belongs to none in particular. */
    output->flags |= object->elf.sections[section].flags & ~(uint64_t)SHF_INFO_LINK;
    output_append(link, output, object, section);
}
