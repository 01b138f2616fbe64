/* Names that the host code of an ELF for a CPU defines. */
#ifndef WARPLD_FORMAT_CONTAINER_HOST_SYMBOLS_H
#define WARPLD_FORMAT_CONTAINER_HOST_SYMBOLS_H

#include "base/bytes.h"

/* Receives the name of one GLOBAL or WEAK function or variable that the file defines. */
typedef void host_symbol_handler(void *context, const char *name);

/* Calls `take` for each defined name in the symbol tables .symtab and .dynsym. Skips damaged tables
 * without a message, because the names are only used to explain another error. The time is in
 * proportion to the size of the file, even if the file is damaged. */
void host_symbols_read(struct bytes file, host_symbol_handler *take, void *context);

#endif
