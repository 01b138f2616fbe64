/* Decodes the records of .nv.info and .nv.compat; see decode.h. */
#include <inttypes.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

static const char *const FORMATS[] = {
    [INFO_FORMAT_NONE] = "none",
    [INFO_FORMAT_BYTE] = "byte",
    [INFO_FORMAT_HALF] = "half",
    [INFO_FORMAT_SIZED] = "sized",
};

/* Returns the name of a format, or a text with its number. Only a damaged file has a format without
 * a name. */
static const char *format_name(struct arena *arena, unsigned format)
{
    if (format < sizeof FORMATS / sizeof *FORMATS && FORMATS[format])
        return FORMATS[format];
    return arena_format(arena, "format %u", format);
}

/* Shows the last two bytes of a record. Format half uses both of them as the value, format byte
 * only one, and format none uses neither. Unused bytes are shown if they are not zero. */
static void put_small_value(const struct info_record *record, struct listing *listing)
{
    unsigned unused = 0;
    if (record->format == INFO_FORMAT_HALF) {
        put_hex(listing, "value", record->value);
    } else if (record->format == INFO_FORMAT_BYTE) {
        put_number(listing, "value", record->value & 0xff);
        unused = record->value >> 8;
    } else {
        unused = record->value;
    }
    if (unused)
        put_hex(listing, "unused", unused);
}

/* Shows the format of a record if it differs from the format in the table of attributes. */
static void put_format(const struct info_record *record, const struct info_attribute *attribute,
                       struct listing *listing)
{
    if (!attribute || attribute->format != record->format)
        put_text(listing, "format", format_name(listing->arena, record->format));
}

/* Shows a payload: one word (as in most records) as a value, several words as a list. */
static void put_values(struct listing *listing, struct bytes payload)
{
    if (payload.size == 4)
        put_hex(listing, "value", load_u32(payload.data));
    else
        put_words(listing, "values", payload);
}

static struct bytes payload_after(const struct info_record *record, uint64_t offset)
{
    struct bytes payload = info_record_payload(record);
    return (struct bytes){payload.data + offset, payload.size - offset};
}

static const char *symbol_word(const struct subject *subject, enum code_view which,
                               const struct info_record *record, unsigned word)
{
    return symbol_label(subject, which, info_record_word(record, word));
}

static void put_symbols(const struct subject *subject, enum code_view which,
                        const struct info_record *record, struct listing *listing)
{
    uint32_t count = record->value / 4;
    const char **names = ARENA_ARRAY(listing->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        names[i] = symbol_word(subject, which, record, i);
    put_names(listing, "symbols", names, count);
    if (record->value % 4)
        put_bytes(listing, "rest", payload_after(record, (uint64_t)count * 4));
}

/* Shows a parameter, whose record has three words. The first is the symbol of a texture, sampler or
 * surface, or 0. The second holds ordinal and offset, 16 bits each. The third holds, from the
 * lowest bit on, alignment in 8 bits, space in 4, constant bank in 5, an unknown bit, and size in
 * 14. For kernels with more than 4352 bytes of parameters (V2), the third is only the size. The
 * fields were identified with kernels whose parameters have known kinds. */
static void put_parameter(const struct subject *subject, enum code_view which,
                          const struct info_record *record, struct listing *listing)
{
    uint32_t symbol = info_record_word(record, 0);
    uint32_t position = info_record_word(record, 1);
    uint32_t shape = info_record_word(record, 2);
    listing->rows[listing->rows_count - 1].identity = 3;
    if (symbol)
        put_text(listing, "symbol", symbol_label(subject, which, symbol));
    else
        put_number(listing, "index", symbol);
    put_number(listing, "ordinal", position & 0xffff);
    put_hex(listing, "offset", position >> 16);
    if (record->code == EIATTR_KPARAM_INFO_V2) {
        put_number(listing, "size", shape);
        return;
    }
    put_number(listing, "size", shape >> 18);
    put_number(listing, "space", shape >> 8 & 0xf);
    put_hex(listing, "cbank", shape >> 12 & 0x1f);
    put_number(listing, "alignment", shape & 0xff);
    uint32_t unknown = shape >> 17 & 1;
    if (unknown)
        put_hex(listing, "unknown_bit_17", unknown);
}

static void put_first_symbol(const struct subject *subject, enum code_view which,
                             const struct info_record *record, bool bank, struct listing *listing)
{
    listing->rows[listing->rows_count - 1].identity = 2;
    put_text(listing, "symbol", symbol_word(subject, which, record, 0));
    if (bank && record->value == 8) {
        uint32_t word = info_record_word(record, 1);
        put_hex(listing, "offset", word & 0xffff);
        put_hex(listing, "size", word >> 16);
    } else {
        put_values(listing, payload_after(record, 4));
    }
}

static void put_payload(const struct subject *subject, enum code_view which,
                        const struct info_attribute *attribute, const struct info_record *record,
                        struct listing *listing)
{
    unsigned payload = attribute ? attribute->payload : INFO_PAYLOAD_WORDS;
    if (payload == INFO_PAYLOAD_PARAMETER && record->value == 12)
        put_parameter(subject, which, record, listing);
    else if (attribute && attribute->symbols == INFO_SYMBOLS_EVERY)
        put_symbols(subject, which, record, listing);
    else if (attribute && attribute->symbols == INFO_SYMBOLS_FIRST && record->value >= 4)
        put_first_symbol(subject, which, record, payload == INFO_PAYLOAD_SYMBOL_BANK, listing);
    else if (payload == INFO_PAYLOAD_OFFSETS)
        put_words(listing, "offsets", info_record_payload(record));
    else
        put_values(listing, info_record_payload(record));
}

void decode_info(const struct subject *subject, const struct elf_section *section,
                 struct listing *listing)
{
    listing->layout = LAYOUT_RECORDS;
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        const struct info_attribute *attribute = info_attribute_find(record.code);
        listing_add_row(listing, 1);
        put_text(listing, "attribute",
                 attribute ? attribute->name
                           : arena_format(listing->arena, "attribute %u", record.code));
        if (record.format == INFO_FORMAT_SIZED)
            put_payload(subject, section->view, attribute, &record, listing);
        else
            put_small_value(&record, listing);
        put_format(&record, attribute, listing);
    }
}

/* The codes of .nv.compat are independent of those of .nv.info. They have no names here, because no
 * tool of NVIDIA prints any. */
void decode_compat(const struct elf_section *section, struct listing *listing)
{
    listing->layout = LAYOUT_RECORDS;
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        listing_add_row(listing, 1);
        put_text(listing, "attribute", arena_format(listing->arena, "compat_%u", record.code));
        if (record.format == INFO_FORMAT_SIZED)
            put_bytes(listing, "value", info_record_payload(&record));
        else
            put_small_value(&record, listing);
        put_format(&record, NULL, listing);
    }
}
