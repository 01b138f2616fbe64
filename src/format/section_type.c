/* The tables of section types and of names of memory sections; see section_type.h. */
#include "format/section_type.h"

#include <stddef.h>
#include <string.h>

const struct section_type_facts SECTION_TYPE_FACTS[TYPE_ROWS] = {
#define SECTION_TYPE(value, name, form, view, executable_value, about)                             \
    [SECTION_TYPE_ROW(UINT32_C(value))] = {FORM_##form, TYPE_VIEW_##view},
#include "format/section_type.def"
#undef SECTION_TYPE
};

struct type_words {
    uint32_t executable_value;
    const char *name;
};

static const struct type_words WORDS[] = {
#define SECTION_TYPE(value, name, form, view, executable_value, about) {executable_value, #name},
#include "format/section_type.def"
#undef SECTION_TYPE
};

static const char *const CONSTANT_NAMES[CONSTANT_BANK_COUNT] = {
    "CUDA_CONSTANT0",  "CUDA_CONSTANT1",  "CUDA_CONSTANT2",  "CUDA_CONSTANT3",  "CUDA_CONSTANT4",
    "CUDA_CONSTANT5",  "CUDA_CONSTANT6",  "CUDA_CONSTANT7",  "CUDA_CONSTANT8",  "CUDA_CONSTANT9",
    "CUDA_CONSTANT10", "CUDA_CONSTANT11", "CUDA_CONSTANT12", "CUDA_CONSTANT13", "CUDA_CONSTANT14",
    "CUDA_CONSTANT15", "CUDA_CONSTANT16", "CUDA_CONSTANT17", "CUDA_CONSTANT18", "CUDA_CONSTANT19",
    "CUDA_CONSTANT20", "CUDA_CONSTANT21", "CUDA_CONSTANT22", "CUDA_CONSTANT23", "CUDA_CONSTANT24",
    "CUDA_CONSTANT25", "CUDA_CONSTANT26",
};

static const struct type_words *find(uint32_t type)
{
    enum {
#define SECTION_TYPE(value, name, form, view, executable_value, about) ROW_##name,
#include "format/section_type.def"
#undef SECTION_TYPE
    };
    switch (type) {
#define SECTION_TYPE(value, name, form, view, executable_value, about)                             \
    case value:                                                                                    \
        return &WORDS[ROW_##name];
#include "format/section_type.def"
#undef SECTION_TYPE
    default:
        return NULL;
    }
}

int section_name_constant_bank(const char *name)
{
    static const char PREFIX[] = ".nv.constant";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return -1;
    const char *digit = name + sizeof PREFIX - 1;
    int bank = *digit >= '0' && *digit <= '9' ? 0 : -1;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        bank = bank * 10 + (*digit - '0');
        if (bank >= CONSTANT_BANK_COUNT)
            return -1;
    }
    return bank;
}

static const struct memory_name {
    uint32_t plain_type;
    uint32_t type;
    const char *prefix;
} MEMORY_NAMES[] = {
    {SHT_PROGBITS, SHT_CUDA_GLOBAL_INIT, ".nv.global.init"},
    {SHT_NOBITS, SHT_CUDA_GLOBAL, ".nv.global"},
    {SHT_NOBITS, SHT_CUDA_SHARED_RESERVED, ".nv.shared.reserved."},
    {SHT_NOBITS, SHT_CUDA_SHARED, ".nv.shared."},
    {SHT_NOBITS, SHT_CUDA_SHARED, ".nv_debug.shared"},
    {SHT_NOBITS, SHT_CUDA_LOCAL, ".nv.local."},
};

uint32_t section_type_by_name(uint32_t type, const char *name)
{
    /* All names of memory sections begin with ".n". */
    if (!section_type_may_have_name(type) || name[0] != '.' || name[1] != 'n')
        return type;
    for (size_t i = 0; i < sizeof MEMORY_NAMES / sizeof *MEMORY_NAMES; i++)
        if (type == MEMORY_NAMES[i].plain_type &&
            !strncmp(name, MEMORY_NAMES[i].prefix, strlen(MEMORY_NAMES[i].prefix)))
            return MEMORY_NAMES[i].type;
    int bank = type == SHT_NOBITS ? -1 : section_name_constant_bank(name);
    return bank >= 0 ? SHT_CUDA_CONSTANT0 + (uint32_t)bank : type;
}

uint32_t section_type_in_executable(uint32_t type)
{
    if (section_type_constant_bank(type) >= 0)
        return SHT_PROGBITS;
    const struct type_words *words = find(type);
    return words ? words->executable_value : type;
}

const char *section_type_name(uint32_t type)
{
    int bank = section_type_constant_bank(type);
    const struct type_words *words = find(type);
    if (words)
        return words->name;
    return bank >= 0 ? CONSTANT_NAMES[bank] : NULL;
}
