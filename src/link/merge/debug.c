/* Merges debug sections. They are copied without being interpreted, except for the native sections
 * that nvlink regenerates from sm_100 on.
 *
 * Part of pass_merge. Every copied section is the plain concatenation of the inputs' sections of
 * its name in object order, without gaps, whether or not -g is given. Sections
 * .nv_debug_ptx_txt.<hash> are concatenated, too, although those with the same hash mostly have the
 * same contents. Copied sections keep the records of removed functions (observed).
 *
 * A section that --suppress-debug-info removes has no output section. So its relocations are
 * dropped, as those of a removed function are. */
#include <string.h>

#include "format/elf.h"
#include "format/elf_view.h"
#include "link/merge/debug_frame.h"
#include "link/merge/debug_line.h"
#include "link/merge/debug_registers.h"
#include "link/merge/merge.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"

/* Whether --suppress-debug-info removes the section. Only the name decides: other sections that are
 * not loaded into memory are not debug information, whatever they contain. */
static bool is_debug_information(const char *name)
{
    return !strncmp(name, ".debug_", strlen(".debug_")) ||
           !strncmp(name, ".nv_debug_", strlen(".nv_debug_"));
}

/* The function that merges a native section which nvlink regenerates; NULL if the section is merged
 * like any other. */
typedef void (*native_merge)(link_context *, struct input_object *, uint32_t,
                             struct output_section *);

static native_merge native_merge_of(const struct output_section *output, const char *name)
{
    if (!output_counterpart(output))
        return NULL;
    if (strcmp(name, ".debug_frame") == 0)
        return debug_frame_merge;
    if (strcmp(name, ".nv_debug_info_reg_sass") == 0)
        return debug_registers_merge;
    return debug_line_is_table(name) ? debug_line_merge : NULL;
}

/* Repeats the merge of the native debug sections that nvlink regenerates. They contain offsets of
 * slots of the unified function table, which were not known the first time. */
void debug_merge_slots(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *output = link->output.sections[i];
        bool is_debug = output->rank == RANK_DEBUG; /* only native debug sections have it */
        native_merge join = is_debug ? native_merge_of(output, section_name(link, output)) : NULL;
        if (!join)
            continue;
        size_t count = output->chunks_count;
        output->chunks_count = 0;
        output->size = 0;
        /* Only the count is 0: the array still holds the old chunks. Each call appends one chunk at
         * most, so call j overwrites no chunk that a later call reads. */
        for (size_t j = 0; j < count; j++)
            join(link, output->chunks[j].object, output->chunks[j].input->index, output);
    }
}

/* Native sections that nvlink regenerates are merged by their own functions, all others are
 * appended. */
void debug_merge(link_context *link, struct input_object *object, uint32_t section)
{
    const char *name = object->elf.sections[section].name;
    if (link->options.no_debug_info && is_debug_information(name))
        return;
    struct linked_name *linked_name = link_intern(link, name);
    bool is_first = !linked_name->section;
    struct output_section *output = output_named(link, linked_name, SHAPE_DEBUG);
    /* The flags are those of the first section (observed with 7 flags in each of two objects).
     * SHF_INFO_LINK is cleared: it marks a section of one function, and a section that is merged
     * from several inputs belongs to no single function. */
    if (is_first) {
        output->flags |= elf_view_section_flags(&object->elf, &object->elf.sections[section]) &
                         ~(uint64_t)SHF_INFO_LINK;
        output_adopt_header(link, output, &object->elf, section);
    }
    native_merge join = native_merge_of(output, name);
    if (join) {
        join(link, object, section, output);
        if (object->other_view[section])
            output_append(link, output_counterpart(output), object, object->other_view[section]);
    } else {
        output_append(link, output, object, section);
    }
    /* The section of the other view gets the alignment of this one (observed with patched objects).
     */
    if (output_counterpart(output))
        output_counterpart(output)->alignment = output->alignment;
}
