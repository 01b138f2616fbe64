/* Names with a meaning of their own; see system_symbols.h. */
#include "link/system_symbols.h"

#include <string.h>

static const char *const FUNCTIONS[] = {
#define SYSTEM_FUNCTION(name) name,
#define SYSTEM_PREFIX(prefix)
#include "link/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

static const char *const PREFIXES[] = {
#define SYSTEM_FUNCTION(name)
#define SYSTEM_PREFIX(prefix) prefix,
#include "link/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

bool system_function(const char *name)
{
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (!strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return true;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (!strcmp(name, FUNCTIONS[i]))
            return true;
    return false;
}

/* The placeholders of the unified tables: dropped when the link has no such tables. */
static const char *const UNIFIED_PLACEHOLDERS[] = {
    "__UFT_OFFSET", "__UDT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL",
    "__UFT",        "__UDT",        "__UFT_END",       "__UDT_END",
};

static const char *const RESERVED_SHARED[] = {
    ".nv.reservedSmem.begin",   ".nv.reservedSmem.end",     ".nv.reservedSmem.cap",
    ".nv.reservedSmem.offset0", ".nv.reservedSmem.offset1",
};

static bool is_reserved_shared(const char *name)
{
    for (size_t i = 0; i < sizeof RESERVED_SHARED / sizeof *RESERVED_SHARED; i++)
        if (!strcmp(name, RESERVED_SHARED[i]))
            return true;
    return false;
}

uint64_t reserved_shared_value(const char *name, const struct architecture *target)
{
    return strcmp(name, ".nv.reservedSmem.cap") == 0 ? target->shared_reserved : 0;
}

enum linker_symbol linker_symbol(const char *name)
{
    if (name[0] == '.' && is_reserved_shared(name))
        return LINKER_SYMBOL_RESERVED_SHARED;
    if (strncmp(name, "__U", 3) != 0)
        return LINKER_SYMBOL_NONE;
    for (size_t i = 0; i < sizeof UNIFIED_PLACEHOLDERS / sizeof *UNIFIED_PLACEHOLDERS; i++)
        if (!strcmp(name, UNIFIED_PLACEHOLDERS[i]))
            return LINKER_SYMBOL_UNIFIED;
    return LINKER_SYMBOL_NONE;
}
