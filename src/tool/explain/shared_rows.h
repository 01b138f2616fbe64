/* The shared variables of a kernel: address, size, and the function that uses each. */
#ifndef WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H
#define WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H

#include "tool/decode/listing.h"
#include "tool/explain/explain.h"

/* Adds a row for each shared variable of the kernel. The variables come from the linker's report,
 * or else from the symbols of the file, or else from the objects. If none of these knows variables,
 * adds sizes without names. The row of a variable that shares bytes with variables at lower
 * addresses names one of them. */
void shared_rows_put(const struct explanation *explanation, struct listing *rows);

/* The kernel's name as in the file. */
const char *shared_owner_name(const struct explanation *explanation);

#endif
