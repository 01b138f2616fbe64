/* Sizes and bytes of attribute sections; see records.h. */
#include "link/records.h"

struct output_record *record_at(struct output_section *section, uint32_t position)
{
    return position ? &section->records[position - 1] : NULL;
}

void record_append(link_context *link, struct output_section *section, struct output_record record)
{
    *ARENA_APPEND(ARENA, section, appended_records) = record;
}

const uint8_t *record_two_words(link_context *link, uint32_t first, uint32_t second)
{
    uint8_t *payload = ARENA_ARRAY(ARENA, uint8_t, 8);
    store_u32(payload, first);
    store_u32(payload + 4, second);
    return payload;
}

/* A symbol word of an input's record: a symbol, or the section symbol of some section. */
static uint32_t output_symbol_index(const struct input_object *object, uint32_t index)
{
    const struct symbol *symbol = object->symbols[index];
    if (symbol)
        return symbol->output_index;
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    if (input.type != STT_SECTION || input.section >= object->elf.section_count)
        return 0;
    const struct output_section *section = object->contributions[input.section].section;
    return section ? section->symbol_index : 0;
}

static uint64_t record_size(const struct output_record *record)
{
    if (record->code == EIATTR_ERROR)
        return 0;
    return 4 + (record->format == INFO_FORMAT_SIZED ? record->value : 0u);
}

uint64_t records_size(const struct output_section *section)
{
    uint64_t size = 0;
    for (size_t i = 0; i < section->records_count; i++)
        size += record_size(&section->records[i]);
    for (size_t i = 0; i < section->appended_records_count; i++)
        size += record_size(&section->appended_records[i]);
    return size;
}

static void write_symbols(const struct output_record *record, uint8_t *payload)
{
    if (record->symbols) {
        for (uint32_t i = 0; i < record->symbol_count; i++)
            store_u32(payload + 4 * (size_t)i, record->symbols[i]->output_index);
        return;
    }
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (!attribute || attribute->symbols == INFO_SYMBOLS_NO || !record->object || !record->payload)
        return;
    unsigned words = record->value / 4u;
    if (attribute->symbols == INFO_SYMBOLS_FIRST && words > 1)
        words = 1;
    for (unsigned i = 0; i < words; i++)
        store_u32(payload + 4 * (size_t)i,
                  output_symbol_index(record->object, load_u32(record->payload + 4 * (size_t)i)));
}

static uint8_t *write_record(const struct output_record *record, uint8_t *place)
{
    if (record->code == EIATTR_ERROR)
        return place;
    place[0] = record->format;
    place[1] = record->code;
    store_u16(place + 2, record->value);
    if (record->format == INFO_FORMAT_SIZED) {
        if (record->payload)
            memcpy(place + 4, record->payload, record->value);
        write_symbols(record, place + 4);
    }
    return place + record_size(record);
}

uint8_t *records_write(const struct output_section *section, uint8_t *place)
{
    for (size_t i = section->records_count; i-- > 0;)
        place = write_record(&section->records[i], place);
    for (size_t i = 0; i < section->appended_records_count; i++)
        place = write_record(&section->appended_records[i], place);
    return place;
}
