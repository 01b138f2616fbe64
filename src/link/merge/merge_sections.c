/* Appends whole input sections to output sections; see merge_sections.h. Part of pass_merge. */
#include "link/merge/merge_sections.h"

#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/merge/merge.h"
#include "link/merge/merge_unified.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"

/* Returns the rank of a section with contents, which depends on its flags. */
static enum section_rank rank_of_contents(uint64_t flags)
{
    if (flags & SHF_WRITE)
        return RANK_DATA;
    return flags & SHF_ALLOC ? RANK_CONSTANT : RANK_METADATA;
}

/* Copies flags and function of the first input section of a name to the output section (observed
 * with flags 0 to 3 and with sections of functions). */
static void adopt_header(link_context *link, struct output_section *output,
                         const struct input_object *object, const struct elf_section *input,
                         struct function *function)
{
    output->flags = elf_view_section_flags(&object->elf, input);
    output_adopt_header(link, output, &object->elf, input->index);
    output_set_bank(link, output, section_type_constant_bank(input->type));
    if (output->content == CONTENT_CHUNKS)
        output->rank = rank_of_contents(output->flags);
    output->owner = function;
    output->info = function ? function->text : NULL;
}

/* Does nothing for a section that belongs to a removed function. nvlink 13.0.88 refuses such a
 * section as a "reference to deleted section". */
void merge_append(link_context *link, struct input_object *object, uint32_t section,
                  enum section_shape shape)
{
    const struct elf_section *input = &object->elf.sections[section];
    const struct symbol *owner = input_section_function(object, input, NULL);
    if (owner && owner->function && !owner->function->kept)
        return;
    struct linked_name *name = link_intern(link, input->name);
    bool is_new = !name->section;
    struct output_section *output = output_named(link, name, shape);
    if (is_new)
        adopt_header(link, output, object, input, owner ? owner->function : NULL);
    output_append(link, output, object, section);
}

/* Merges a section by its kind: calls the function for this kind, or appends the section to an
 * output section of the shape for this kind. */
void merge_data(link_context *link, struct input_object *object, uint32_t section)
{
    if (object->contributions[section].section || object->contributions[section].set_aside)
        return;
    const struct elf_section *input = &object->elf.sections[section];
    switch (input_section_kind(input)) {
    case INPUT_GLOBAL:
        merge_append(link, object, section, SHAPE_GLOBAL);
        break;
    case INPUT_GLOBAL_INIT:
        merge_append(link, object, section, SHAPE_GLOBAL_INIT);
        break;
    case INPUT_CONSTANT_USER:
        merge_append(link, object, section,
                     section_type_constant_bank(input->type) == CONSTANT_BANK_PIC
                         ? SHAPE_PIC_CONSTANT
                         : SHAPE_CONSTANT);
        break;
    case INPUT_LOCAL:
        merge_append(link, object, section, SHAPE_LOCAL);
        break;
    case INPUT_CARRIED:
        merge_append(link, object, section, SHAPE_CARRIED);
        break;
    case INPUT_UNIFIED:
        unified_merge(link, object, section);
        break;
    case INPUT_CONSTANT_ENTRY:
        merge_constant(link, object, section);
        break;
    case INPUT_DEBUG:
        debug_merge(link, object, section);
        break;
    default:
        break;
    }
}
