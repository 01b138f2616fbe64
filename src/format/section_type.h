/* Section types of device ELFs; the facts are in section_type.def. */
#ifndef WARPLD_FORMAT_SECTION_TYPE_H
#define WARPLD_FORMAT_SECTION_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum section_type {
#define SECTION_TYPE(value, name, form, view, executable_value, about) SHT_##name = value,
#include "format/section_type.def"
#undef SECTION_TYPE
    SHT_CUDA_CONSTANT0 = 0x70000064,
    CONSTANT_BANK_COUNT = 27, /* banks 0 to 26 are accepted */
    CONSTANT_BANK_PARAMETERS = 0,
    CONSTANT_BANK_COMPILER = 2, /* literals and jump tables of functions */
    CONSTANT_BANK_USER = 3,
    CONSTANT_BANK_PIC = 4,         /* addresses that code of ptxas -pic reads */
    CONSTANT_BANK_LIMIT = 0x10000, /* maximum size of a bank; nvlink 13.0.88 refuses more */
};

/* The bank of a constant section type, or -1 for any other type. Only for native sections: in the
 * Mercury view some of these numbers have another meaning. */
static inline int section_type_constant_bank(uint32_t type)
{
    uint32_t bank = type - SHT_CUDA_CONSTANT0;
    return bank < CONSTANT_BANK_COUNT ? (int)bank : -1;
}

/* Returns true for types whose meaning can depend on the section's name. */
static inline bool section_type_may_have_name(uint32_t type)
{
    return type == SHT_PROGBITS || type == SHT_NOBITS || type == SHT_CUDA_CONSTANT;
}

/* The CUDA type of a section in a relocatable file. A section of memory may have type SHT_PROGBITS
 * or SHT_NOBITS, and a constant bank SHT_CUDA_CONSTANT. Its name then determines the type, as in
 * nvlink 13.0.88: each name was linked with the plain type and with the CUDA type, and the outputs
 * were equal. Any other type is returned unchanged. */
uint32_t section_type_by_name(uint32_t type, const char *name);

/* The bank in names such as ".nv.constant3" and ".nv.constant3.kernel"; -1 for a name without a
 * valid bank. */
int section_name_constant_bank(const char *name);

/* The form of a section's contents. */
enum section_form {
    FORM_BYTES, /* also the form of unknown types */
    FORM_NO_BYTES,
    FORM_STRINGS,
    FORM_SYMBOLS,
    FORM_INDICES,
    FORM_REL,
    FORM_RELA,
    FORM_CODE, /* code sections of type PROGBITS have FORM_BYTES and the flag SHF_EXECINSTR */
    FORM_ATTRIBUTES,
    FORM_COMPATIBILITY,
    FORM_CALLGRAPH,
    FORM_PROTOTYPES,
    FORM_FUNCTION_DATA,
    FORM_RELOCATION_ACTIONS,
    FORM_NOTES,
    FORM_UNIFIED_ENTRIES,
    FORM_COUNT,
};

/* The view in which a type occurs. */
enum section_type_view { TYPE_VIEW_EITHER, TYPE_VIEW_NATIVE, TYPE_VIEW_MERCURY };

struct section_type_facts {
    uint8_t form;
    uint8_t view;
};

/* Numbers of rows of SECTION_TYPE_FACTS: first the types below TYPE_ROWS_STANDARD, then CUDA's
 * types. Rows of unknown types are zero. */
enum {
    TYPE_ROWS_STANDARD = 32,
    TYPE_ROWS_CUDA = 0x100,
    TYPE_ROWS = TYPE_ROWS_STANDARD + TYPE_ROWS_CUDA,
    TYPE_ROW_UNKNOWN = TYPE_ROWS_STANDARD - 1,
};
extern const struct section_type_facts SECTION_TYPE_FACTS[TYPE_ROWS];

#define SECTION_TYPE_ROW(type)                                                                     \
    ((type)-UINT32_C(0x70000000) < TYPE_ROWS_CUDA                                                  \
         ? TYPE_ROWS_STANDARD + ((type)-UINT32_C(0x70000000))                                      \
         : ((type) < TYPE_ROWS_STANDARD ? (type) : TYPE_ROW_UNKNOWN))

/* Never NULL. */
static inline const struct section_type_facts *section_type_facts(uint32_t type)
{
    return &SECTION_TYPE_FACTS[SECTION_TYPE_ROW(type)];
}

static inline enum section_form section_type_form(uint32_t type)
{
    return (enum section_form)section_type_facts(type)->form;
}

static inline bool section_form_is_relocations(enum section_form form)
{
    return form == FORM_REL || form == FORM_RELA;
}

/* Returns false for sections that take no space in the file. */
static inline bool section_form_has_bytes(enum section_form form)
{
    return form != FORM_NO_BYTES;
}

static inline bool section_type_has_bytes(uint32_t type)
{
    return section_form_has_bytes(section_type_form(type));
}

/* The type that a native section of a relocatable file has in an executable. */
uint32_t section_type_in_executable(uint32_t type);

/* "CUDA_GLOBAL", "CUDA_CONSTANT3"; NULL for an unknown type. */
const char *section_type_name(uint32_t type);

#endif
