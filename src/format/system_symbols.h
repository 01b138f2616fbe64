/* Symbols that the linker provides. */
#ifndef WARPLD_FORMAT_SYSTEM_SYMBOLS_H
#define WARPLD_FORMAT_SYSTEM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true for the symbol that the PTX instruction isspacep.const refers to. Its value is the
 * size of the user's constants, or -1 if there are none. ptxas gives each object its own local
 * symbol of this name, so the link must recognise each one by its name. */
bool stands_for_constant_size(const char *name, size_t size);

enum linker_symbol {
    LINKER_SYMBOL_NONE,
    LINKER_SYMBOL_CODE_OFFSET,     /* __UFT_OFFSET, which code refers to */
    LINKER_SYMBOL_UNIFIED,         /* __UDT_OFFSET, __UFT and the like */
    LINKER_SYMBOL_DESCRIPTOR_SIZE, /* .nv.unified.texrefDescSize and the like, for txq and suq */
    LINKER_SYMBOL_RESERVED_SHARED, /* .nv.reservedSmem.*, except the following two */
    LINKER_SYMBOL_RESERVED_FIRST,  /* .nv.reservedSmem.offset0 */
    LINKER_SYMBOL_RESERVED_SIZE,   /* .nv.reservedSmem.cap: its value is the size */
};

/* The meaning of a symbol that the linker provides. Compilers refer to such symbols weakly, and to
 * most of them only for sm_90 and later. nvlink 13.0.88 lists them among the global symbols. Only
 * the driver knows the sizes of descriptors, so relocations against their symbols are kept. Without
 * an index file, an executable has no symbols of the kinds CODE_OFFSET and UNIFIED, but their names
 * are in its string table. */
enum linker_symbol linker_symbol(const char *name, size_t size);

#endif
