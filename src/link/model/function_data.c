/* Merges data about functions; see function_data.h. The output has one section for the records of
 * all inputs, in reading order, even if the names of the input sections differ. For sm_100 only the
 * native view has the section.
 *
 * .strtab begins with the texts of these records and with the prototypes, in the order of the input
 * sections that hold them. Within a record, the texts of its pairs (see format/function_data.h)
 * precede the text of its name. All of this was observed with nvlink 13.0.88 and synthetic objects
 * for sm_80, 90 and 100. */
#include "link/model/function_data.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/function_data.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

static const char *text_of(const struct input_object *object, uint32_t offset)
{
    return elf_view_string(&object->elf, VIEW_NATIVE, offset);
}

static void add_metadata_text(link_context *link, const struct input_object *object,
                              uint32_t offset)
{
    struct linked_name *text = link_intern(link, text_of(object, offset));
    if (name_uses(link, text)->is_prototype || !text->name.size)
        return;
    name_add_uses(link, text)->is_prototype = true;
    *ARENA_APPEND(&link->arena, &link->output, prototypes) = text;
}

void function_data_read_texts(link_context *link, const struct input_object *object,
                              const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct function_data record;
    while (function_data_next(&rest, &record)) {
        for (uint32_t i = 0; i < record.count; i++) {
            struct elf_pair pair = function_data_pair(&record, i);
            if (pair.first == FUNCTION_DATA_TEXT)
                add_metadata_text(link, object, (uint32_t)pair.second);
        }
        add_metadata_text(link, object, record.name);
    }
}

void function_data_merge(link_context *link, const struct input_object *object,
                         const struct elf_section *section)
{
    if (!section->size)
        return;
    link->output.function_data = output_add_shared(link, ".nv.metadata", SHAPE_FUNCTION_DATA);
    *ARENA_APPEND(&link->arena, &link->function_data, sections) =
        (struct function_data_input){object, section};
}

/* Returns the record's symbol. If the symbol is not in the output, returns NULL, and warpld drops
 * the record; nvlink keeps such a record, with the symbol index of the input. */
static const struct symbol *symbol_of(const struct input_object *object,
                                      const struct function_data *record)
{
    const struct symbol *symbol = object->symbols[record->symbol];
    return symbol && symbol->created && !symbol->dropped ? symbol : NULL;
}

void function_data_finish(link_context *link)
{
    struct output_section *section = link->output.function_data;
    struct function_data record;
    for (size_t i = 0; i < link->function_data.sections_count; i++) {
        const struct function_data_input *input = &link->function_data.sections[i];
        struct bytes rest = {input->section->data, input->section->size};
        while (function_data_next(&rest, &record))
            if (symbol_of(input->object, &record))
                section->size += FUNCTION_DATA_HEADER + ELF_PAIR_SIZE * (uint64_t)record.count;
    }
    if (section)
        section->dropped = !section->size;
}

/* Returns the offset in the output's .strtab of a text that is at `offset` in the input's. Searches
 * only, because function_data_read_texts has interned the text. */
static uint32_t text_offset(const link_context *link, const struct input_object *object,
                            uint32_t offset)
{
    return link_find_name(link, text_of(object, offset))->name.offset;
}

static uint8_t *write_function_record(const link_context *link, const struct input_object *object,
                                      const struct symbol *symbol,
                                      const struct function_data *record, uint8_t *out)
{
    store_u32(out, symbol->output_index);
    store_u32(out + 4, text_offset(link, object, record->name));
    store_u32(out + 8, record->count);
    out += FUNCTION_DATA_HEADER;
    for (uint32_t i = 0; i < record->count; i++, out += ELF_PAIR_SIZE) {
        struct elf_pair pair = function_data_pair(record, i);
        bool is_text = pair.first == FUNCTION_DATA_TEXT;
        store_u32(out, pair.first);
        uint32_t value = (uint32_t)pair.second;
        store_u32(out + 4, is_text ? text_offset(link, object, value) : value);
    }
    return out;
}

uint8_t *function_data_write(const link_context *link, uint8_t *out)
{
    struct function_data record;
    for (size_t i = 0; i < link->function_data.sections_count; i++) {
        const struct function_data_input *input = &link->function_data.sections[i];
        struct bytes rest = {input->section->data, input->section->size};
        while (function_data_next(&rest, &record)) {
            const struct symbol *symbol = symbol_of(input->object, &record);
            if (symbol)
                out = write_function_record(link, input->object, symbol, &record, out);
        }
    }
    return out;
}
