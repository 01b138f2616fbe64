/* Names with a meaning of their own: what the driver provides, what the linker stands in for. */
#ifndef WARPLD_FORMAT_SYSTEM_SYMBOLS_H
#define WARPLD_FORMAT_SYSTEM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for the symbol that isspacep.const refers to: its value is the size of the user's constants
 * (-1 when there are none). ptxas makes it local to each object; only this name has the meaning. */
bool stands_for_constant_size(const char *name, size_t size);

/* True for functions of the driver, which stay undefined without an error. */
bool system_function(const char *name);

enum linker_symbol {
    LINKER_SYMBOL_NONE,
    LINKER_SYMBOL_CODE_OFFSET,     /* __UFT_OFFSET, which code refers to */
    LINKER_SYMBOL_UNIFIED,         /* __UDT_OFFSET, __UFT and the like */
    LINKER_SYMBOL_DESCRIPTOR_SIZE, /* .nv.unified.texrefDescSize and the like, for txq and suq */
    LINKER_SYMBOL_RESERVED_SHARED, /* .nv.reservedSmem.offset1 and the like; it and all below */
    LINKER_SYMBOL_RESERVED_FIRST,  /* .nv.reservedSmem.offset0 */
    LINKER_SYMBOL_RESERVED_SIZE,   /* .nv.reservedSmem.cap: its value is the size */
};

/* Compilers refer to these weakly, to most for sm_90 and later only; nvlink 13.0.88 lists them
 * among the globals. Sizes of descriptors are the driver's: what refers to them stays. Without
 * unified tables the first two kinds leave only their names in the output's strings. */
enum linker_symbol linker_symbol(const char *name, size_t size);

#endif
