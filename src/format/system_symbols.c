/* Recognises symbols that the linker provides; see system_symbols.h. */
#include "format/system_symbols.h"

#include <string.h>

bool stands_for_constant_size(const char *name, size_t size)
{
    static const char NAME[] = ".nv.ptx.const0.size";
    return size == sizeof NAME - 1 && !memcmp(name, NAME, size);
}

/* The rows are whole names. nvlink 13.0.88 treats other names with the same prefixes as ordinary
 * symbols (22 names tried). */
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
