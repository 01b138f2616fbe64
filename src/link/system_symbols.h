/* Names with a meaning of their own: what the driver provides, what the linker stands in for. */
#ifndef WARPLD_LINK_SYSTEM_SYMBOLS_H
#define WARPLD_LINK_SYSTEM_SYMBOLS_H

#include <stdbool.h>

/* True for functions of the driver, which stay undefined without an error. */
bool system_function(const char *name);

enum linker_symbol {
    LINKER_SYMBOL_NONE,
    LINKER_SYMBOL_UNIFIED,         /* __UFT_OFFSET and the like */
    LINKER_SYMBOL_RESERVED_SHARED, /* .nv.reservedSmem.offset0 and the like */
};

/* Compilers for sm_90 and later refer to these weakly; nvlink 13.0.88 lists them among the globals.
 * Without unified tables the first kind leaves only its name in the output's strings. */
enum linker_symbol linker_symbol(const char *name);

#endif
