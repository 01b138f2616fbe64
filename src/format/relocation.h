/* Relocation types; the facts are in relocation_native.def and relocation_mercury.def. */
#ifndef WARPLD_FORMAT_RELOCATION_H
#define WARPLD_FORMAT_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a final link does with relocations of a type. The target is what the relocation's symbol
 * stands for. Relocations against functions and global memory are kept, except those of class NONE
 * and, against functions, those of class CLEAR. For all other targets the class alone decides. */
enum relocation_class {
    RELOCATION_NONE,        /* no effect: dropped */
    RELOCATION_VALUE,       /* value = target + addend: written and dropped */
    RELOCATION_SLOT,        /* value = slot number + addend; the slot number is always 0 */
    RELOCATION_LOADER,      /* left to the driver, whatever the target */
    RELOCATION_DESCRIPTOR,  /* function descriptor: left to the driver; only for functions */
    RELOCATION_PC_RELATIVE, /* left to the driver for functions, refused for other targets */
    RELOCATION_YIELD,       /* turns YIELD into NOP before sm_70, else no effect; dropped */
    RELOCATION_CLEAR,       /* zeroes its field if the target function was removed; dropped */
    RELOCATION_UNIFIED,     /* gets its replacement type first, whose class then decides */
    RELOCATION_END,         /* no object may have it: end markers, and NONE of the Mercury view */
};

/* What a final link does if the target is a texture, sampler or surface reference. */
enum relocation_texture {
    TEXTURE_KEPT,
    TEXTURE_RESOLVED, /* value = slot offset in bank 0 + addend */
    TEXTURE_ZERO,     /* value = 0 + addend */
    TEXTURE_DROPPED,
    TEXTURE_CLEARED, /* kept as type 0 without a symbol */
};

enum relocation_source { RELOCATION_FROM_VALUE, RELOCATION_FROM_BANK };

/* Bits [first_bit, first_bit + width) of the little-endian bytes at r_offset receive the bits of
 * the source from source_bit on. Width 0 ends the list. */
struct relocation_field {
    uint8_t first_bit;
    uint8_t width;
    uint8_t source; /* enum relocation_source */
    uint8_t source_bit;
};

enum { RELOCATION_FIELDS = 3, RELOCATION_MERCURY_BASE = 0x10000, RELOCATION_LARGEST_SIZE = 12 };

struct relocation_type {
    const char *name; /* "R_CUDA_ABS32_32" */
    uint32_t number;
    uint32_t replacement; /* type that replaces a UNIFIED type in a final link; 0 for others */
    uint8_t class;        /* enum relocation_class */
    uint8_t texture;      /* enum relocation_texture */
    struct relocation_field fields[RELOCATION_FIELDS];
};

/* All types of a view by number; those of the Mercury view by number minus their base. */
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

/* The native type with a number; NULL if there is none. Types of the Mercury view have no meaning
 * in a native section, so they give NULL, too. */
static inline const struct relocation_type *relocation_type_find_native(uint32_t number)
{
    return number < RELOCATION_NATIVE_COUNT ? &RELOCATIONS_NATIVE[number] : NULL;
}

/* Likewise in the Mercury view. */
static inline const struct relocation_type *relocation_type_find_mercury(uint32_t number)
{
    uint32_t index = number - RELOCATION_MERCURY_BASE;
    return index < RELOCATION_MERCURY_COUNT ? &RELOCATIONS_MERCURY[index] : NULL;
}

/* The type with a number in sections of a view (enum code_view); NULL if there is none. */
static inline const struct relocation_type *relocation_type_in_view(uint32_t number, unsigned which)
{
    return which ? relocation_type_find_mercury(number) : relocation_type_find_native(number);
}

/* The type of either view with a number; NULL if there is none. */
static inline const struct relocation_type *relocation_type_find(uint32_t number)
{
    const struct relocation_type *type = relocation_type_find_mercury(number);
    return type ? type : relocation_type_find_native(number);
}

/* Number of bytes from r_offset to the end of the type's last field; 0 if it has none. */
unsigned relocation_size(const struct relocation_type *type);

/* Writes value and bank into the type's fields of the bytes at r_offset. Bits outside the fields do
 * not change, and bits that do not fit are cut off without a check, as by nvlink (observed). The
 * section may end inside the fields: `available` bytes are readable and writable, the rest is
 * skipped. */
void relocation_write(const struct relocation_type *type, uint8_t *bytes, uint64_t available,
                      uint64_t value, uint32_t bank);

/* Like relocation_write, but for an entry without an explicit addend: adds the old contents of each
 * field to the bits that are written to it, modulo the field's width. */
void relocation_write_in_place(const struct relocation_type *type, uint8_t *bytes,
                               uint64_t available, uint64_t value, uint32_t bank);

/* The addend in the type's VALUE fields. */
uint64_t relocation_read_addend(const struct relocation_type *type, const uint8_t *bytes,
                                uint64_t available);

#endif
