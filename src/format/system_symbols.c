/* Names with a special meaning; see system_symbols.h. */
#include "format/system_symbols.h"

#include <string.h>

static const char *const FUNCTIONS[] = {
#define SYSTEM_FUNCTION(name) name,
#define SYSTEM_PREFIX(prefix)
#include "format/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

static const char *const PREFIXES[] = {
#define SYSTEM_FUNCTION(name)
#define SYSTEM_PREFIX(prefix) prefix,
#include "format/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

/* A bit for the first characters of a name; 0 for shorter names, which the tables do not have. */
static inline uint64_t letters_bit(const char *name)
{
    if (!name[0] || !name[1])
        return 0;
    return UINT64_C(1) << ((unsigned)(4 * name[0] + 2 * name[1] + name[2]) % 64);
}

/* A fast filter: the name of every function is looked up, and few begin as a name in the tables
 * does. */
static bool may_be_of_system(const char *name)
{
    const uint64_t all = 0
#define SYSTEM_FUNCTION(name) | letters_bit(name)
#define SYSTEM_PREFIX(prefix) | letters_bit(prefix)
#include "format/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
        ;
    return all & letters_bit(name);
}

bool system_function(const char *name)
{
    if (!may_be_of_system(name))
        return false;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (*name == *PREFIXES[i] && !strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return true;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (*name == *FUNCTIONS[i] && !strcmp(name, FUNCTIONS[i]))
            return true;
    return false;
}

bool stands_for_constant_size(const char *name, size_t size)
{
    static const char NAME[] = ".nv.ptx.const0.size";
    return size == sizeof NAME - 1 && !memcmp(name, NAME, size);
}

/* Other names with the same prefixes are ordinary symbols (22 tried). */
#define ROW(name, meaning)                                                                         \
    {                                                                                              \
        name, sizeof(name) - 1, LINKER_SYMBOL_##meaning                                            \
    }
static const struct {
    const char *name;
    size_t size;
    enum linker_symbol meaning;
} LINKER_SYMBOLS[] = {
    ROW("__UFT_OFFSET", CODE_OFFSET),
    ROW("__UDT_OFFSET", UNIFIED),
    ROW("__UFT_CANONICAL", UNIFIED),
    ROW("__UDT_CANONICAL", UNIFIED),
    ROW("__UFT", UNIFIED),
    ROW("__UDT", UNIFIED),
    ROW("__UFT_END", UNIFIED),
    ROW("__UDT_END", UNIFIED),
    ROW(".nv.unified.texrefDescSize", DESCRIPTOR_SIZE),
    ROW(".nv.independent.texrefDescSize", DESCRIPTOR_SIZE),
    ROW(".nv.independent.samplerrefDescSize", DESCRIPTOR_SIZE),
    ROW(".nv.surfrefDescSize", DESCRIPTOR_SIZE),
    ROW(".nv.reservedSmem.begin", RESERVED_SHARED),
    ROW(".nv.reservedSmem.end", RESERVED_SHARED),
    ROW(".nv.reservedSmem.offset0", RESERVED_FIRST),
    ROW(".nv.reservedSmem.offset1", RESERVED_SHARED),
    ROW(".nv.reservedSmem.cap", RESERVED_SIZE),
};
#undef ROW

enum linker_symbol linker_symbol(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof LINKER_SYMBOLS / sizeof *LINKER_SYMBOLS; i++)
        if (size == LINKER_SYMBOLS[i].size && !memcmp(name, LINKER_SYMBOLS[i].name, size))
            return LINKER_SYMBOLS[i].meaning;
    return LINKER_SYMBOL_NONE;
}
