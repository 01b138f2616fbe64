/* Relocation types. relocation_native.def and relocation_mercury.def list them. */
#ifndef WARPLD_FORMAT_RELOCATION_H
#define WARPLD_FORMAT_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a final link does with relocations of a type. The target of a relocation is the function,
 * variable or section that its symbol stands for. For some targets the class has little influence:
 *   function                    relocations are kept, except those of classes NONE and CLEAR
 *   variable in global memory   relocations are kept, except those of class DESCRIPTOR
 *   texture, sampler, surface   see enum relocation_texture
 * For other targets, the class decides as follows. docs/format/relocations.md has all details. */
enum relocation_class {
    RELOCATION_NONE,        /* dropped without any effect */
    RELOCATION_VALUE,       /* resolved: writes the target's value + addend */
    RELOCATION_SLOT,        /* resolved: writes a slot number + addend. The number is 0 for most
                               targets. For others, nvlink writes the alignment of a shared
                               variable or compiler-made constant, or the offset of the object's
                               part of a section. */
    RELOCATION_LOADER,      /* kept for the driver */
    RELOCATION_DESCRIPTOR,  /* function descriptor: an error unless the target is a function */
    RELOCATION_PC_RELATIVE, /* distance from the instruction to the target: an error */
    RELOCATION_YIELD,       /* dropped; before sm_70, turns the instruction YIELD into NOP */
    RELOCATION_CLEAR,       /* dropped; if the target was removed, sets the field to 0 */
    RELOCATION_UNIFIED,     /* like its replacement type; with an index file, like class LOADER */
    RELOCATION_END,         /* an error: no object may have end markers, or the Mercury type NONE */
};

/* What a final link does if the target is a texture, sampler or surface. Relocations of the classes
 * DESCRIPTOR and PC_RELATIVE are errors. */
enum relocation_texture {
    TEXTURE_KEPT,     /* kept for the driver */
    TEXTURE_RESOLVED, /* resolved: writes the offset of the target's slot in bank 0 + addend */
    TEXTURE_ZERO,     /* resolved: writes the addend */
    TEXTURE_DROPPED,  /* dropped without any effect */
    TEXTURE_CLEARED,  /* kept, but with type 0 and without a symbol, so it has no effect */
};

enum relocation_source { RELOCATION_FROM_VALUE, RELOCATION_FROM_BANK };

/* A field that a relocation changes. The field is the `width` bits from first_bit on, counted from
 * the least significant bit of the little-endian bytes at r_offset. A relocation writes to it the
 * bits of the source from source_bit on. The source is the value or the number of the bank. */
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
    struct relocation_field fields[RELOCATION_FIELDS]; /* a width of 0 ends a shorter list */
};

/* The tables of all types of each view. RELOCATIONS_NATIVE is indexed by the number of the type,
 * RELOCATIONS_MERCURY by the number minus RELOCATION_MERCURY_BASE. */
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

/* Returns the native type with the given number. Returns NULL for other numbers, including those of
 * Mercury types. */
static inline const struct relocation_type *relocation_type_find_native(uint32_t number)
{
    return number < RELOCATION_NATIVE_COUNT ? &RELOCATIONS_NATIVE[number] : NULL;
}

/* Returns the Mercury type with the given number. Returns NULL for other numbers, including those
 * of native types. */
static inline const struct relocation_type *relocation_type_find_mercury(uint32_t number)
{
    uint32_t index = number - RELOCATION_MERCURY_BASE;
    return index < RELOCATION_MERCURY_COUNT ? &RELOCATIONS_MERCURY[index] : NULL;
}

/* Returns the type with the given number in the given view (enum code_view). Returns NULL for other
 * numbers, including those of types of the other view. */
static inline const struct relocation_type *relocation_type_in_view(uint32_t number, unsigned which)
{
    return which ? relocation_type_find_mercury(number) : relocation_type_find_native(number);
}

/* Returns the type with the given number, of either view; NULL if there is none. */
static inline const struct relocation_type *relocation_type_find(uint32_t number)
{
    const struct relocation_type *type = relocation_type_find_mercury(number);
    return type ? type : relocation_type_find_native(number);
}

/* Returns the number of bytes from r_offset to the end of the last field; 0 if the type has no
 * fields. */
unsigned relocation_size(const struct relocation_type *type);

/* Writes bits of `value` and `bank` to the fields of the type. `bytes` points to r_offset. Like
 * nvlink, the function does not check whether the value fits into the fields (observed).
 * `available` is the number of bytes up to the end of the section; parts of fields beyond it are
 * not written. */
void relocation_write(const struct relocation_type *type, uint8_t *bytes, uint64_t available,
                      uint64_t value, uint32_t bank);

/* Like relocation_write, but for a REL entry, whose addend is in the fields. Adds the old contents
 * of each field to the bits that are written to the field. A carry out of the field is lost. */
void relocation_write_in_place(const struct relocation_type *type, uint8_t *bytes,
                               uint64_t available, uint64_t value, uint32_t bank);

/* Returns the addend of a REL entry: the sum of the contents of all fields whose source is the
 * value, each shifted by source_bit. */
uint64_t relocation_read_addend(const struct relocation_type *type, const uint8_t *bytes,
                                uint64_t available);

#endif
