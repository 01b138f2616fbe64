/* Section types of device ELFs. section_type.def lists them with their properties. */
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
    CONSTANT_BANK_COMPILER = 2, /* compiler-made constants: literals and jump tables of functions */
    CONSTANT_BANK_USER = 3,
    CONSTANT_BANK_PIC = 4,         /* addresses, for code that was compiled with ptxas -pic */
    CONSTANT_BANK_LIMIT = 0x10000, /* maximum size of a bank in bytes; nvlink 13.0.88 has it, too */
};

/* Returns the number of the constant bank with this section type; -1 if the type is not that of a
 * constant bank. Requires: the section is native, because in the Mercury view some of these types
 * have another meaning. */
static inline int section_type_constant_bank(uint32_t type)
{
    uint32_t bank = type - SHT_CUDA_CONSTANT0;
    return bank < CONSTANT_BANK_COUNT ? (int)bank : -1;
}

/* Returns true for plain types, which section_type_by_name may replace. */
static inline bool section_type_may_have_name(uint32_t type)
{
    return type == SHT_PROGBITS || type == SHT_NOBITS || type == SHT_CUDA_CONSTANT;
}

/* Returns the CUDA type of a section in a relocatable file. A memory section may have the plain
 * type SHT_PROGBITS or SHT_NOBITS, and a constant bank the type SHT_CUDA_CONSTANT. For such a
 * section, the name determines the CUDA type. All other types are returned unchanged.
 * nvlink 13.0.88 treats both types in the same way: sections with each name were linked with the
 * plain type and with the CUDA type, and the outputs were equal. */
uint32_t section_type_by_name(uint32_t type, const char *name);

/* Returns the number of the constant bank in a name such as ".nv.constant3" or
 * ".nv.constant3.kernel"; -1 if the name contains no valid number. */
int section_name_constant_bank(const char *name);

/* The form of a section's contents. */
enum section_form {
    FORM_BYTES, /* bytes that are not interpreted; also for sections of unknown types */
    FORM_NO_BYTES,
    FORM_STRINGS,
    FORM_SYMBOLS,
    FORM_INDICES,
    FORM_REL,
    FORM_RELA,
    FORM_CODE, /* code, except in sections of type PROGBITS, which have FORM_BYTES */
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

/* Numbers of rows in SECTION_TYPE_FACTS. The first rows are for the standard types, which are below
 * TYPE_ROWS_STANDARD. The rows for CUDA's types follow. Rows of unknown types contain zeros. */
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

/* Returns the row of a type; a row of zeros for unknown types. */
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

/* Returns false if sections of this form have no contents in the file. */
static inline bool section_form_has_bytes(enum section_form form)
{
    return form != FORM_NO_BYTES;
}

static inline bool section_type_has_bytes(uint32_t type)
{
    return section_form_has_bytes(section_type_form(type));
}

/* Returns the type that a native section has in an executable. `type` is its type in a relocatable
 * file. */
uint32_t section_type_in_executable(uint32_t type);

/* Returns the name of a type, such as "CUDA_GLOBAL" or "CUDA_CONSTANT3"; NULL for unknown types. */
const char *section_type_name(uint32_t type);

#endif
