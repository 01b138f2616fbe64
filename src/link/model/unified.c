/* Queries about unified tables that several passes need; see unified.h. */
#include "link/model/unified.h"

#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

bool unified_is_stub(const struct input_object *object, uint32_t section)
{
    return section < object->elf.section_count &&
           object->elf.sections[section].type == SHT_CUDA_UFT;
}

uint64_t unified_merged_offset(const struct unified_entry *entry)
{
    if (entry->input_section >= entry->object->elf.section_count)
        return entry->input_offset;
    return add_sizes(entry->object->contributions[entry->input_section].offset,
                     entry->input_offset);
}

uint32_t unified_symbol_index(const struct unified_entry *entry)
{
    return entry->symbol ? entry->symbol->output_index : 0;
}

uint64_t unified_slot_offset(const struct symbol *stub)
{
    struct elf_symbol input = elf_view_symbol(&stub->object->elf, VIEW_NATIVE, stub->input_index);
    return stub->object->contributions[input.section].offset;
}

bool unified_slot_of(const link_context *link, const struct input_object *object, uint32_t symbol,
                     struct unified_slot *slot)
{
    const struct unified_table *table = &link->unified[UNIFIED_FUNCTIONS];
    const struct symbol *stub = object->symbols[symbol];
    if (!table->slot_range || !stub || !stub->function || !stub->function->is_stub)
        return false;
    slot->is_first = unified_slot_offset(stub) == 0;
    slot->table_size = table->contents->size;
    slot->range = slot->is_first ? table->first_slot_range : table->slot_range;
    return true;
}
