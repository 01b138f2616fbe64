/* Writes the output, and says how its symbols are written. */
#ifndef WARPLD_LINK_WRITE_WRITE_OUTPUT_H
#define WARPLD_LINK_WRITE_WRITE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file_sink.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

struct symbol;

/* Writes the output to memory, and stores it as `result` in write_state unless an error was
 * reported. */
void write_in_memory(link_context *link);

/* A symbol as it is in the native symbol table. Only the size of an alias can be different: from
 * sm_100 on and up to release 13.4, the size in the table depends on the order of the names
 * (native_size in write_symbols.c). */
struct written_symbol {
    const struct output_section *section; /* NULL: undefined */
    uint64_t value;
    uint64_t size;
    uint8_t binding;
};

/* Describes the symbol. Requires: READY. */
struct written_symbol written_symbol(const link_context *link, const struct symbol *symbol);

/* Writes an output to its file if pass_write_output has left it to be written later (can_wait in
 * write.c). Returns false if an error was reported. */
bool write_to_file(link_context *link, struct file_sink *sink);

#endif
