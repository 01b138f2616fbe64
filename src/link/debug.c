/* Debug sections: carried, never interpreted.
 *
 * Part of merge. Every debug section is the plain concatenation of the inputs' sections of its name
 * in object order, without gaps, whether or not -g is given; records of removed functions stay
 * (observed), also of .nv_debug_ptx_txt.<hash>, though equal names mostly have equal contents. */
#include "link/link.h"

void debug_merge(link_context *link, struct input_object *object, uint32_t section)
{
    const char *name = object->elf.sections[section].name;
    struct output_section *output = output_add_shared(link, name, SHAPE_DEBUG);
    /* A section that is joined from several belongs to none in particular. */
    output->flags |= object->elf.sections[section].flags & ~(uint64_t)SHF_INFO_LINK;
    output_append(link, output, object, section);
}
