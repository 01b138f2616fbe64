/* Debug sections: carried, never interpreted.
 *
 * Part of merge. Every debug section is the plain concatenation of the inputs' sections of its name
 * in object order, without gaps, whether or not -g is given; records of removed functions stay
 * (observed), also of .nv_debug_ptx_txt.<hash>, though equal names mostly have equal contents.
 *
 * A section that is left out has no output section, and so its relocations go as those of a removed
 * function do. */
#include <string.h>

#include "link/debug_frame.h"
#include "link/debug_line.h"

/* Others without a place in memory are no debug information, whatever they are. */
static bool is_debug_information(const char *name)
{
    return !strncmp(name, ".debug_", strlen(".debug_")) ||
           !strncmp(name, ".nv_debug_", strlen(".nv_debug_"));
}

static bool is_line_table(const char *name)
{
    return !strcmp(name, ".debug_line") || !strcmp(name, ".nv_debug_line_sass");
}

void debug_merge(link_context *link, struct input_object *object, uint32_t section)
{
    const char *name = object->elf.sections[section].name;
    if (link->options.no_debug_info && is_debug_information(name))
        return;
    struct output_section *output = output_add_shared(link, name, SHAPE_DEBUG);
    /* A section that is joined from several belongs to none in particular. */
    output->flags |= object->elf.sections[section].flags & ~(uint64_t)SHF_INFO_LINK;
    if (output->twin && strcmp(name, ".debug_frame") == 0) {
        debug_frame_merge(link, object, section, output);
        output_append(link, output->twin, object, object->other_view[section]);
        return;
    }
    if (output->twin && is_line_table(name)) {
        debug_line_merge(link, object, section, output);
        output_append(link, output->twin, object, object->other_view[section]);
        return;
    }
    output_append(link, output, object, section);
}
