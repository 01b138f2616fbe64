/* Symbols that the linker provides. */
#ifndef WARPLD_FORMAT_SYSTEM_SYMBOLS_H
#define WARPLD_FORMAT_SYSTEM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true for the name of the symbol to which the PTX instruction isspacep.const refers. The
 * value of this symbol is the size of the user constants, or -1 if there are none. In each object
 * the symbol is local, so the link must recognise all of them by name. */
bool stands_for_constant_size(const char *name, size_t size);

enum linker_symbol {
    LINKER_SYMBOL_NONE,            /* not a symbol that the linker provides */
    LINKER_SYMBOL_CODE_OFFSET,     /* __UFT_OFFSET, the only unified placeholder in compiled code */
    LINKER_SYMBOL_UNIFIED,         /* the other unified placeholders, such as __UDT_OFFSET */
    LINKER_SYMBOL_DESCRIPTOR_SIZE, /* .nv.unified.texrefDescSize and similar, for txq and suq */
    LINKER_SYMBOL_RESERVED_SHARED, /* .nv.reservedSmem.*, except the next two */
    LINKER_SYMBOL_RESERVED_FIRST,  /* .nv.reservedSmem.offset0 */
    LINKER_SYMBOL_RESERVED_SIZE,   /* .nv.reservedSmem.cap; the value is the reserved size */
};

/* Returns the meaning of a symbol that the linker provides, by its name. Compilers write weak
 * references to such symbols, to most of them only for sm_90 and later. nvlink 13.0.88
 * places them among the global symbols.
 *
 * The sizes of descriptors are known only to the driver, so relocations against DESCRIPTOR_SIZE
 * symbols are kept. Without an index file, executables have no CODE_OFFSET and UNIFIED symbols, but
 * their string tables have the names of these symbols. */
enum linker_symbol linker_symbol(const char *name, size_t size);

#endif
