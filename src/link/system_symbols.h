/* Names with a meaning of their own: what the driver provides, what the linker stands in for. */
#ifndef WARPLD_LINK_SYSTEM_SYMBOLS_H
#define WARPLD_LINK_SYSTEM_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/architecture.h"

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

/* The value of a symbol of the second kind, whatever the inputs say: the reserved bytes for .cap, 0
 * for the others (nvlink 13.0.88 with each name for sm_75 to sm_90a, weak and global). */
uint64_t reserved_shared_value(const char *name, const struct architecture *target);

#endif
