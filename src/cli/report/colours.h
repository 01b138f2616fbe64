/* Whether messages are coloured. */
#ifndef WARPLD_CLI_REPORT_COLOURS_H
#define WARPLD_CLI_REPORT_COLOURS_H

#include <stdbool.h>

/* Whether the file is a terminal with colours, and NO_COLOR is not set (https://no-color.org). */
bool colours_fit_terminal(int descriptor);

/* Whether messages are coloured. `choice`, the value of --color, decides if it is neither NULL nor
 * "auto". Otherwise the first of these variables that is set decides: NO_COLOR turns colours off,
 * CLICOLOR_FORCE turns them on, and CLICOLOR=0 turns them off (https://bixense.com/clicolors). If
 * none is set, colours_fit_terminal decides. A file of messages has colours only if `choice` is
 * "always". */
bool colours_wanted(const char *choice, bool is_file, int descriptor);

#endif
