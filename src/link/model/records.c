/* Computes the sizes of attribute sections and writes their bytes; see records.h. */
#include "link/model/records.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

struct output_record *record_at(struct output_section *section, uint32_t position)
{
    return position ? &section->records[position - 1] : NULL;
}

struct output_record *record_append(link_context *link, struct output_section *section,
                                    struct output_record record)
{
    enum { USUAL_COUNT = 2 }; /* records that a kernel inherits */
    struct rare_section *rare = output_add_rare(link, section);
    ARENA_RESERVE(&link->arena, rare, appended_records, USUAL_COUNT);
    struct output_record *appended = ARENA_APPEND(&link->arena, rare, appended_records);
    *appended = record;
    return appended;
}

static struct bytes payload_in(const struct output_record *record, enum code_view view)
{
    if (record->payload_kind == PAYLOAD_BYTES)
        return (struct bytes){record->payload, record->value};
    if (record->payload_kind == PAYLOAD_SYMBOLS)
        return (struct bytes){NULL, record->value};
    const struct view_payloads *views = record->views;
    return view == VIEW_MERCURY ? (struct bytes){views->mercury, views->mercury_size}
                                : (struct bytes){views->native, record->value};
}

void record_set_word(link_context *link, struct output_record *record, size_t word, uint32_t value)
{
    struct bytes before = payload_in(record, VIEW_NATIVE);
    assert(before.data);
    if (record->payload_kind == PAYLOAD_BYTES && load_u32(before.data + 4 * word) == value)
        return;
    uint8_t *payload = ARENA_ARRAY(&link->arena, uint8_t, before.size);
    memcpy(payload, before.data, before.size);
    store_u32(payload + 4 * word, value);
    record->payload = payload;
    record->payload_kind = PAYLOAD_BYTES;
}

void record_append_about(link_context *link, struct output_section *section, uint8_t code,
                         const struct symbol *symbol, uint32_t value)
{
    uint8_t *payload = ARENA_ARRAY(&link->arena, uint8_t, 8);
    store_u32(payload, symbol->input_index);
    store_u32(payload + 4, value);
    record_append(link, section,
                  (struct output_record){.payload = payload,
                                         .object = symbol->object->position,
                                         .value = 8,
                                         .format = INFO_FORMAT_SIZED,
                                         .code = code});
}

/* Returns the index in the output of a symbol or section symbol to which a record refers. `index`
 * is its index in the input. */
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

/* Whether the record is written to the section of the view. */
static bool is_in_view(const struct output_record *record, enum code_view view)
{
    return record->code != EIATTR_ERROR && (!record->only || record->only >> view & 1);
}

static uint64_t record_size(const struct output_record *record, enum code_view view)
{
    if (!is_in_view(record, view))
        return 0;
    return 4 + (record->format == INFO_FORMAT_SIZED ? payload_in(record, view).size : 0u);
}

/* Returns the section with the records. The records of both views are in the native section. */
static const struct output_section *records_of(const struct output_section *section)
{
    return section->view == VIEW_MERCURY ? output_counterpart(section) : section;
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

/* Writes the payload with the output's symbol indices. If the payload is not a list of symbols,
 * only its first word can be a symbol, and it is the same word in both views (see
 * records_views.c). */
static void write_payload(const link_context *link, const struct output_record *record,
                          struct bytes payload, uint8_t *out)
{
    if (record->payload_kind == PAYLOAD_SYMBOLS) {
        for (unsigned i = 0; i < record->value / 4u; i++)
            store_u32(out + 4 * (size_t)i, record->symbols[i]->output_index);
        return;
    }
    if (!payload.data)
        return;
    copy_short(out, payload.data, payload.size);
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (attribute && attribute->symbols == INFO_SYMBOLS_FIRST && payload.size >= 4)
        store_u32(out, output_symbol_index(link->objects[record->object], load_u32(payload.data)));
}

static uint8_t *write_info_record(const link_context *link, const struct output_record *record,
                                  enum code_view view, uint8_t *out)
{
    if (!is_in_view(record, view))
        return out;
    out[0] = record->format;
    out[1] = record->code;
    store_u16(out + 2, record->value);
    if (record->format != INFO_FORMAT_SIZED)
        return out + 4;
    struct bytes payload = payload_in(record, view);
    store_u16(out + 2, (uint16_t)payload.size);
    write_payload(link, record, payload, out + 4);
    return out + 4 + payload.size;
}

uint8_t *records_write(const link_context *link, const struct output_section *section, uint8_t *out)
{
    const struct output_section *list = records_of(section);
    enum code_view view = (enum code_view)section->view;
    size_t count = list->records_count;
    for (size_t i = 0; i < count; i++)
        out = write_info_record(link, &list->records[link->options.relocatable ? i : count - 1 - i],
                                view, out);
    for (size_t i = 0; i < output_rare(list)->appended_records_count; i++)
        out = write_info_record(link, &list->rare->appended_records[i], view, out);
    for (size_t i = 0; i < output_rare(list)->tail_records_count; i++)
        out = write_info_record(link, &list->rare->tail_records[i], view, out);
    return out;
}
