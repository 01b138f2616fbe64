/* The shared variables of a kernel: address, size, and the function that uses each. */
#ifndef WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H
#define WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H

#include "tool/decode/listing.h"
#include "tool/explain/explain.h"

/* Adds rows from the first of these that knows variables: the linker's report, the symbols of the
 * file, the objects. If none does, adds sizes without names. A variable that shares bytes with
 * variables at lower addresses names one of them. */
void shared_rows_put(const struct explanation *explanation, struct listing *rows);

/* The kernel's name as in the file. */
const char *shared_owner_name(const struct explanation *explanation);

#endif
