/* Sizes and bytes of attribute sections; see records.h. */
#include "link/records.h"

struct output_record *record_at(struct output_section *section, uint32_t position)
{
    return position ? &section->records[position - 1] : NULL;
}

void record_append(link_context *link, struct output_section *section, struct output_record record)
{
    *ARENA_APPEND(ARENA, output_add_rare(link, section), appended_records) = record;
}

void record_set_word(link_context *link, struct output_record *record, size_t word, uint32_t value)
{
    uint8_t *payload = ARENA_ARRAY(ARENA, uint8_t, record->value);
    memcpy(payload, record->payload, record->value);
    store_u32(payload + 4 * word, value);
    record->payload = payload;
    record->mercury_payload = NULL;
}

void record_append_about(link_context *link, struct output_section *section, uint8_t code,
                         struct symbol *symbol, uint32_t value)
{
    struct symbol **symbols = ARENA_ARRAY(ARENA, struct symbol *, 1);
    symbols[0] = symbol;
    uint8_t *payload = ARENA_ARRAY(ARENA, uint8_t, 8);
    store_u32(payload + 4, value);
    record_append(link, section,
                  (struct output_record){.payload = payload,
                                         .symbols = symbols,
                                         .symbol_count = 1,
                                         .value = 8,
                                         .format = INFO_FORMAT_SIZED,
                                         .code = code});
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

static struct bytes payload_in(const struct output_record *record, enum code_view view)
{
    if (view == VIEW_MERCURY && record->mercury_payload)
        return (struct bytes){record->mercury_payload, record->mercury_size};
    return (struct bytes){record->payload, record->value};
}

static uint64_t record_size(const struct output_record *record, enum code_view view)
{
    if (record->code == EIATTR_ERROR || (record->only && !(record->only >> view & 1)))
        return 0;
    return 4 + (record->format == INFO_FORMAT_SIZED ? payload_in(record, view).size : 0u);
}

/* The records of both views are those of the native section. */
static const struct output_section *records_of(const struct output_section *section)
{
    return section->view == VIEW_MERCURY ? output_twin(section) : section;
}

uint64_t records_size(const struct output_section *section)
{
    const struct output_section *list = records_of(section);
    enum code_view view = (enum code_view)section->view;
    uint64_t size = 0;
    for (size_t i = 0; i < list->records_count; i++)
        size += record_size(&list->records[i], view);
    for (size_t i = 0; i < output_rare(list)->appended_records_count; i++)
        size += record_size(&output_rare(list)->appended_records[i], view);
    for (size_t i = 0; i < output_rare(list)->tail_records_count; i++)
        size += record_size(&list->rare->tail_records[i], view);
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

static uint8_t *write_record(const struct output_record *record, enum code_view view,
                             uint8_t *place)
{
    uint64_t size = record_size(record, view);
    if (!size)
        return place;
    place[0] = record->format;
    place[1] = record->code;
    store_u16(place + 2, record->value);
    if (record->format == INFO_FORMAT_SIZED) {
        struct bytes payload = payload_in(record, view);
        store_u16(place + 2, (uint16_t)payload.size);
        if (payload.data)
            memcpy(place + 4, payload.data, payload.size);
        write_symbols(record, place + 4);
    }
    return place + size;
}

uint8_t *records_write(const link_context *link, const struct output_section *section,
                       uint8_t *place)
{
    const struct output_section *list = records_of(section);
    enum code_view view = (enum code_view)section->view;
    size_t count = list->records_count;
    for (size_t i = 0; i < count; i++)
        place = write_record(&list->records[link->options.relocatable ? i : count - 1 - i], view,
                             place);
    for (size_t i = 0; i < output_rare(list)->appended_records_count; i++)
        place = write_record(&output_rare(list)->appended_records[i], view, place);
    for (size_t i = 0; i < output_rare(list)->tail_records_count; i++)
        place = write_record(&list->rare->tail_records[i], view, place);
    return place;
}
