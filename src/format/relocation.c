/* The tables of relocation types, and access to relocation fields; see relocation.h. */
#include "format/relocation.h"

#include "base/bytes.h"

#define VALUE                                       RELOCATION_FROM_VALUE
#define BANK                                        RELOCATION_FROM_BANK
#define FIELD(first_bit, width, source, source_bit) {first_bit, width, source, source_bit},
#define NO_FIELDS                                   {0, 0, 0, 0},

const struct relocation_type RELOCATIONS_NATIVE[] = {
#define RELOCATION(number, name, class, texture, replacement, fields)                              \
    {"R_CUDA_" #name, number, replacement, RELOCATION_##class, TEXTURE_##texture, {fields}},
#include "format/relocation_native.def"
#undef RELOCATION
};

const struct relocation_type RELOCATIONS_MERCURY[] = {
#define RELOCATION(number, name, class, texture, replacement, fields)                              \
    {"R_MERCURY_" #name, number, replacement, RELOCATION_##class, TEXTURE_##texture, {fields}},
#include "format/relocation_mercury.def"
#undef RELOCATION
};

unsigned relocation_size(const struct relocation_type *type)
{
    unsigned bits = 0;
    for (int i = 0; i < RELOCATION_FIELDS; i++) {
        unsigned end = type->fields[i].first_bit + type->fields[i].width;
        if (type->fields[i].width && end > bits)
            bits = end;
    }
    return (bits + 7) / 8;
}

static uint64_t width_mask(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Returns true if the field lies in the eight bytes from its first byte on, and all of these are
 * available. Then one load of 64 bits reads the field. */
static bool is_in_word(const struct relocation_field *field, uint64_t available)
{
    enum { WORD = 8 };
    return available >= WORD && field->first_bit / 8u <= available - WORD &&
           field->first_bit % 8u + field->width <= 8 * WORD;
}

static uint64_t read_field(const struct relocation_field *field, const uint8_t *bytes,
                           uint64_t available)
{
    uint64_t value = 0;
    if (is_in_word(field, available))
        return load_u64(bytes + field->first_bit / 8) >> field->first_bit % 8 &
               width_mask(field->width);
    for (unsigned bit = 0; bit < field->width;) {
        unsigned at = field->first_bit + bit, shift = at % 8;
        if (at / 8 < available)
            value |= (uint64_t)(bytes[at / 8] >> shift) << bit;
        bit += 8 - shift;
    }
    return value & width_mask(field->width);
}

static void write_field(const struct relocation_field *field, uint8_t *bytes, uint64_t available,
                        uint64_t value)
{
    if (is_in_word(field, available)) {
        uint8_t *word = bytes + field->first_bit / 8;
        uint64_t mask = width_mask(field->width) << field->first_bit % 8;
        store_u64(word, (load_u64(word) & ~mask) | (value << field->first_bit % 8 & mask));
        return;
    }
    for (unsigned bit = 0; bit < field->width;) {
        unsigned at = field->first_bit + bit, shift = at % 8, count = 8 - shift;
        if (count > field->width - bit)
            count = field->width - bit;
        if (at / 8 < available) {
            unsigned mask = ((1u << count) - 1) << shift;
            unsigned bits = (unsigned)(value >> bit) << shift & mask;
            bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) | bits);
        }
        bit += count;
    }
}

static uint64_t field_source(const struct relocation_field *field, uint64_t value, uint32_t bank)
{
    uint64_t source = field->source == RELOCATION_FROM_BANK ? bank : value;
    return source >> field->source_bit & width_mask(field->width);
}

void relocation_write(const struct relocation_type *type, uint8_t *bytes, uint64_t available,
                      uint64_t value, uint32_t bank)
{
    for (int i = 0; i < RELOCATION_FIELDS && type->fields[i].width; i++)
        write_field(&type->fields[i], bytes, available,
                    field_source(&type->fields[i], value, bank));
}

/* Returns true for types that write one byte of the value, but not its lowest byte. For these types
 * the old contents of the field are added to the lowest byte of the value. The result is byte n of
 * the sum (observed). */
static bool is_upper_byte(const struct relocation_type *type)
{
    return type->fields[0].width == 8 && type->fields[0].source_bit >= 8;
}

void relocation_write_in_place(const struct relocation_type *type, uint8_t *bytes,
                               uint64_t available, uint64_t value, uint32_t bank)
{
    if (is_upper_byte(type) && available) {
        relocation_write(type, bytes, available, value + bytes[0], bank);
        return;
    }
    for (int i = 0; i < RELOCATION_FIELDS && type->fields[i].width; i++) {
        const struct relocation_field *field = &type->fields[i];
        uint64_t old = read_field(field, bytes, available);
        write_field(field, bytes, available, old + field_source(field, value, bank));
    }
}

uint64_t relocation_read_addend(const struct relocation_type *type, const uint8_t *bytes,
                                uint64_t available)
{
    uint64_t value = 0;
    for (int i = 0; i < RELOCATION_FIELDS && type->fields[i].width; i++) {
        const struct relocation_field *field = &type->fields[i];
        if (field->source == RELOCATION_FROM_VALUE)
            value += read_field(field, bytes, available) << field->source_bit;
    }
    return value;
}
