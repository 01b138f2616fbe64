/* Names that the host code of an ELF for a CPU defines. */
#ifndef WARPLD_FORMAT_CONTAINER_HOST_SYMBOLS_H
#define WARPLD_FORMAT_CONTAINER_HOST_SYMBOLS_H

#include "base/bytes.h"

/* Receives the name of one GLOBAL or WEAK function or variable that the file defines. */
typedef void host_symbol_handler(void *context, const char *name);

/* Passes on the names of both symbol tables, .symtab and .dynsym. Damaged tables are skipped
 * without a message, because the names only help to explain another failure. */
void host_symbols_read(struct bytes file, host_symbol_handler *take, void *context);

#endif
