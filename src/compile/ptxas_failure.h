/* Finds in the messages of ptxas why it refused a text, and what the user can do. */
#ifndef WARPLD_COMPILE_PTXAS_FAILURE_H
#define WARPLD_COMPILE_PTXAS_FAILURE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The line number in the first error that has one; 0 if no error has one. */
uint64_t ptxas_failure_line(struct bytes messages);

/* Returns what the user can do, as one line without a newline, or NULL. `architecture` is the
 * target, such as "sm_90". */
const char *ptxas_failure_remedy(struct arena *arena, struct bytes messages,
                                 const char *architecture);

#endif
