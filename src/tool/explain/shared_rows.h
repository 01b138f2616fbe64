/* Lists the shared variables of a kernel with their addresses, sizes and users. */
#ifndef WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H
#define WARPLD_TOOL_EXPLAIN_SHARED_ROWS_H

#include "tool/decode/listing.h"
#include "tool/explain/explain.h"

/* Adds a row for each shared variable of the kernel. The variables come from the first of these
 * sources that knows any: the linker's report, the symbols of the file, the objects. If there is
 * none, adds sizes without names. If a variable shares bytes with variables at lower addresses, its
 * row names one of them. */
void shared_rows_put(const struct explanation *explanation, struct listing *rows);

/* Returns the mangled name of the kernel. */
const char *shared_owner_name(const struct explanation *explanation);

#endif
