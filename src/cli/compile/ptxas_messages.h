/* What ptxas says, as nvlink's built-in compiler says it. */
#ifndef WARPLD_CLI_COMPILE_PTXAS_MESSAGES_H
#define WARPLD_CLI_COMPILE_PTXAS_MESSAGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* The messages without the line that ptxas alone has behind a version of PTX that it does not know
 * (observed with PTX 9.1; behind all other errors in a text both have it). In the arena. */
struct bytes ptxas_messages_copy(struct arena *arena, struct bytes messages);

/* True when it was no fault of the text's words: too many constants or registers, say. nvlink then
 * ends with another message (observed with these two and 20 faults of the text). */
bool ptxas_failed_behind_text(struct bytes messages);

#endif
