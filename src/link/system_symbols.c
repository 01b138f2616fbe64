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

bool stands_for_constant_size(const char *name)
{
    return strcmp(name, ".nv.ptx.const0.size") == 0;
}

/* The placeholders of the unified tables: dropped when the link has no such tables. */
static const char *const UNIFIED_PLACEHOLDERS[] = {
    "__UDT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL", "__UFT",
    "__UDT",        "__UFT_END",       "__UDT_END",
};

#define RESERVED_PREFIX ".nv.reservedSmem."

/* All names behind that prefix; others are ordinary symbols (14 tried). */
static enum linker_symbol reserved_shared_symbol(const char *name)
{
    static const char *const NAMES[] = {"begin", "end", "offset0", "offset1"};
    if (!strcmp(name, "cap"))
        return LINKER_SYMBOL_RESERVED_SIZE;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (!strcmp(name, NAMES[i]))
            return LINKER_SYMBOL_RESERVED_SHARED;
    return LINKER_SYMBOL_NONE;
}

enum linker_symbol linker_symbol(const char *name)
{
    if (!strncmp(name, RESERVED_PREFIX, strlen(RESERVED_PREFIX)))
        return reserved_shared_symbol(name + strlen(RESERVED_PREFIX));
    if (strncmp(name, "__U", 3) != 0)
        return LINKER_SYMBOL_NONE;
    if (!strcmp(name, "__UFT_OFFSET"))
        return LINKER_SYMBOL_CODE_OFFSET;
    for (size_t i = 0; i < sizeof UNIFIED_PLACEHOLDERS / sizeof *UNIFIED_PLACEHOLDERS; i++)
        if (!strcmp(name, UNIFIED_PLACEHOLDERS[i]))
            return LINKER_SYMBOL_UNIFIED;
    return LINKER_SYMBOL_NONE;
}
