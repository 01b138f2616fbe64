/* Which of several weak definitions of a function the program uses; see weak.h.
 *
 * Part of resolve. What the comparison needs is read from an object once, when its first weak
 * function meets another copy, so that linking many copies stays linear. */
#include "link/weak.h"

/* REGCOUNT records are the source: the register byte of the code section is empty from sm_90 on. */
static void read_register_counts(struct input_object *object, const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record))
        if (record.code == EIATTR_REGCOUNT && record.format == INFO_FORMAT_SIZED &&
            record.value >= 8)
            object->weak_facts[info_record_word(&record, 0)].registers =
                info_record_word(&record, 1);
}

/* The kernel's index is asked for, not its symbol, which may not be resolved yet. */
static void read_parameter_size(struct input_object *object, const struct elf_section *section)
{
    uint32_t index = 0;
    if (section_type_constant_bank(section->type) == 0)
        input_section_function(object, section, &index);
    object->weak_facts[index].parameter_bank = section->size;
}

static const struct weak_facts *facts(link_context *link, struct input_object *object,
                                      uint32_t index)
{
    if (!object->weak_facts) {
        object->weak_facts =
            ARENA_ARRAY(ARENA, struct weak_facts, object->elf.symbols[VIEW_NATIVE].count);
        for (uint32_t i = 1; i < object->elf.section_count; i++) {
            const struct elf_section *section = &object->elf.sections[i];
            if (input_section_kind(section) == INPUT_INFO)
                read_register_counts(object, section);
            else if (input_section_kind(section) == INPUT_CONSTANT_ENTRY)
                read_parameter_size(object, section);
        }
    }
    return &object->weak_facts[index];
}

/* Fewer registers win; with equal counts the higher virtual target, else the earlier. The held
 * side's virtual target is that of the first copy even after a replacement (observed: 44
 * registers/75, 24/90, 24/90 ends with the third). */
bool weak_function_wins(link_context *link, const struct symbol *symbol,
                        struct input_object *object, uint32_t index)
{
    uint32_t held = facts(link, symbol->object, symbol->input_index)->registers;
    uint32_t offered = facts(link, object, index)->registers;
    if (held != offered)
        return offered < held;
    return object->virtual_sm > symbol->function->first_copy->virtual_sm;
}

void weak_check_parameters(link_context *link, const struct symbol *symbol,
                           struct input_object *object, uint32_t index)
{
    if (facts(link, symbol->object, symbol->input_index)->parameter_bank !=
        facts(link, object, index)->parameter_bank)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_PARAMETER_BANK_MISMATCH, object->name,
                          symbol->name->name.text, symbol->name->name.text);
}
