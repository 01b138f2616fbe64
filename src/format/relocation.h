/* Relocation types; the facts are in relocation_native.def and relocation_mercury.def. */
#ifndef WARPLD_FORMAT_RELOCATION_H
#define WARPLD_FORMAT_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a final link does with a type. A function or global-memory target keeps every class but
 * NONE and CLEAR (of a function); the class decides for all other targets. */
enum relocation_class {
    RELOCATION_NONE,        /* marks nothing: dropped */
    RELOCATION_VALUE,       /* value = target + addend: written and dropped */
    RELOCATION_SLOT,        /* value = slot number + addend; the slot number is always 0 */
    RELOCATION_LOADER,      /* left to the driver, whatever the target */
    RELOCATION_DESCRIPTOR,  /* function descriptor: left to the driver; only for functions */
    RELOCATION_PC_RELATIVE, /* left to the driver for functions, refused for all else */
    RELOCATION_YIELD,       /* makes NOP of YIELD: written before sm_70, else ignored; dropped */
    RELOCATION_CLEAR,       /* zeroes its field when the target function was removed; dropped */
    RELOCATION_UNIFIED,     /* becomes its replacement type first */
    RELOCATION_END,         /* end marker of the enumeration, not a type */
};

/* What happens when the target is a texture, sampler or surface reference. */
enum relocation_texture {
    TEXTURE_KEPT,
    TEXTURE_RESOLVED, /* value = slot offset in bank 0 + addend */
    TEXTURE_ZERO,     /* value = 0 + addend */
    TEXTURE_DROPPED,
    TEXTURE_CLEARED, /* kept as type 0 without a symbol */
};

enum relocation_source { RELOCATION_FROM_VALUE, RELOCATION_FROM_BANK };

/* Bits [place, place + width) of the little-endian bytes at r_offset receive the bits of the source
 * from source_bit on. Width 0 ends the list. */
struct relocation_field {
    uint8_t place;
    uint8_t width;
    uint8_t source; /* enum relocation_source */
    uint8_t source_bit;
};

enum { RELOCATION_FIELDS = 3, RELOCATION_MERCURY_BASE = 0x10000 };

struct relocation_type {
    const char *name; /* "R_CUDA_ABS32_32" */
    uint32_t number;
    uint32_t replacement; /* plain type of a UNIFIED type, else 0 */
    uint8_t class;        /* enum relocation_class */
    uint8_t texture;      /* enum relocation_texture */
    struct relocation_field fields[RELOCATION_FIELDS];
};

/* All types of a view by number, those of the Mercury view from their base on. */
enum {
    RELOCATION_NATIVE_COUNT = 0
#define RELOCATION(number, name, class, texture, replacement, fields) +1
#include "format/relocation_native.def"
    ,
    RELOCATION_MERCURY_COUNT = 0
#include "format/relocation_mercury.def"
#undef RELOCATION
};
extern const struct relocation_type RELOCATIONS_NATIVE[RELOCATION_NATIVE_COUNT];
extern const struct relocation_type RELOCATIONS_MERCURY[RELOCATION_MERCURY_COUNT];

/* NULL for a number that is no type; for those of the Mercury view, too, which mean nothing in a
 * native section. */
static inline const struct relocation_type *relocation_type_find_native(uint32_t number)
{
    return number < RELOCATION_NATIVE_COUNT ? &RELOCATIONS_NATIVE[number] : NULL;
}

/* NULL for a number that is no type. */
static inline const struct relocation_type *relocation_type_find(uint32_t number)
{
    uint32_t mercury = number - RELOCATION_MERCURY_BASE;
    return mercury < RELOCATION_MERCURY_COUNT ? &RELOCATIONS_MERCURY[mercury]
                                              : relocation_type_find_native(number);
}

/* Number of bytes at the place that the type's fields touch (0 when it writes nothing). */
unsigned relocation_place_size(const struct relocation_type *type);

/* Writes value and bank into the type's fields. Bits outside the fields are untouched and bits that
 * do not fit are cut off without a check, as nvlink does (measured). The place may be cut short by
 * the end of the section: `available` bytes are readable and writable, the rest is skipped. */
void relocation_write(const struct relocation_type *type, uint8_t *place, uint64_t available,
                      uint64_t value, uint32_t bank);

/* The same for an entry without an explicit addend: what stands in the fields is added, field by
 * field and modulo the field's width. */
void relocation_write_in_place(const struct relocation_type *type, uint8_t *place,
                               uint64_t available, uint64_t value, uint32_t bank);

/* The addend that stands in the type's VALUE fields. */
uint64_t relocation_read_addend(const struct relocation_type *type, const uint8_t *place,
                                uint64_t available);

#endif
