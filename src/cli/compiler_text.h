/* The messages in a text that ptxas or the optimiser has printed. */
#ifndef WARPLD_CLI_COMPILER_TEXT_H
#define WARPLD_CLI_COMPILER_TEXT_H

#include "warpld.h"

/* Returns the end of the first message in the text: the first newline that no blank follows,
 * because a line that starts with a blank continues the message. */
const char *compiler_text_message_end(const char *text, const char *end);

/* Returns the severity of a message of ptxas, such as "ptxas error   : ..." or
 * "ptxas FILE, line 3; error   : ...". A message that names no severity has WARPLD_INFO. */
enum warpld_severity compiler_text_severity(const char *text);

#endif
