/* Local memory of functions.
 *
 * Requires: merge. ptxas 13 keeps local memory as a frame size in the attributes and writes no
 * .nv.local sections, and no input that has one has been seen; merge leaves INPUT_LOCAL sections to
 * this pass, which refuses them by name rather than lose them. */
#include <assert.h>

#include "link/link.h"

static void refuse_local_sections(link_context *link, const struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++)
        if (input_section_kind(&object->elf.sections[i]) == INPUT_LOCAL)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_FEATURE_NOT_YET, object->name, NULL,
                              object->name, object->elf.sections[i].name);
}

void layout_local(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    for (size_t i = 0; i < link->objects_count; i++)
        refuse_local_sections(link, link->objects[i]);
}
