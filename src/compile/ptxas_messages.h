/* Converts the messages of ptxas to those that nvlink's built-in compiler prints. */
#ifndef WARPLD_COMPILE_PTXAS_MESSAGES_H
#define WARPLD_COMPILE_PTXAS_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* Copies the messages. If they exceed PROCESS_MOST_MESSAGES, copies only the first and the last
 * lines. If one message is about an unsupported version of PTX, leaves out the line "Ptx assembly
 * aborted due to errors". nvlink does not print this line after such a message, although it does
 * after all other errors in a text (observed with PTX 9.1). A NUL follows the copy. `copy` must
 * have space for ptxas_messages_copied_size bytes. */
struct bytes ptxas_messages_copy_to(uint8_t *copy, struct bytes messages);

/* The largest size of a copy, with the NUL. */
size_t ptxas_messages_copied_size(struct bytes messages);

/* Returns true if the text parses but cannot be compiled, for example because it needs too many
 * constants or registers. nvlink's last message then differs from that for a text that does not
 * parse (observed with both causes, and with 20 errors in a text). */
bool ptxas_failed_after_parsing(struct bytes messages);

#endif
