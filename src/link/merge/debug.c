/* Merges debug sections. Part of pass_merge.
 *
 * Most debug sections are copied without being interpreted: an output section is the concatenation
 * of the inputs' sections of its name, in object order, without gaps, whether or not -g is given.
 * This includes sections .nv_debug_ptx_txt.<hash>, although sections with the same hash mostly have
 * the same contents. Copied sections keep the records of removed functions (observed).
 *
 * From sm_100 on nvlink regenerates some native debug sections. Their merges are in debug_frame.c,
 * debug_line.c and debug_registers.c.
 *
 * If --suppress-debug-info removes a section, no output section contains its bytes. Relocations of
 * such a section are dropped, like the relocations of a removed function. */
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

/* Whether --suppress-debug-info removes sections of this name. nvlink removes only sections with
 * these two prefixes, and keeps all other sections that are not loaded into memory. */
static bool is_debug_information(const char *name)
{
    return !strncmp(name, ".debug_", strlen(".debug_")) ||
           !strncmp(name, ".nv_debug_", strlen(".nv_debug_"));
}

/* A function that merges one native section of a kind that nvlink regenerates. native_merge_of
 * returns NULL for sections of all other kinds, which are copied. */
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
        bool is_debug = output->rank == RANK_DEBUG; /* only native debug sections have this rank */
        native_merge join = is_debug ? native_merge_of(output, section_name(link, output)) : NULL;
        if (!join)
            continue;
        size_t count = output->chunks_count;
        output->chunks_count = 0;
        output->size = 0;
        /* Only the count is set to 0. The array still holds the old chunks, which this loop reads.
         * Call j appends at most one chunk, so it overwrites no chunk that a later call reads. */
        for (size_t j = 0; j < count; j++)
            join(link, output->chunks[j].object, output->chunks[j].input->index, output);
    }
}

/* Merges one debug section of an object: by its own function if nvlink regenerates sections of this
 * kind, else by appending it. */
void debug_merge(link_context *link, struct input_object *object, uint32_t section)
{
    const char *name = object->elf.sections[section].name;
    if (link->options.no_debug_info && is_debug_information(name))
        return;
    struct linked_name *linked_name = link_intern(link, name);
    bool is_first = !linked_name->section;
    struct output_section *output = output_named(link, linked_name, SHAPE_DEBUG);
    /* The output section adopts the flags of the first input section (observed for 7 flags).
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
    /* The counterpart adopts the alignment of the section (observed with patched objects). */
    if (output_counterpart(output))
        output_counterpart(output)->alignment = output->alignment;
}
