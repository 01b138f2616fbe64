/* Whether messages are coloured. */
#ifndef WARPLD_CLI_REPORT_COLOURS_H
#define WARPLD_CLI_REPORT_COLOURS_H

#include <stdbool.h>

/* Whether the file is a terminal with colours, and NO_COLOR is not set (https://no-color.org). */
bool colours_fit_terminal(int descriptor);

/* Whether messages are coloured. `choice`, the value of --color, decides if it is neither NULL nor
 * "auto". Otherwise the first of these that applies decides (https://bixense.com/clicolors):
 * NO_COLOR, if it is set, turns colours off; CLICOLOR_FORCE, if it is set and not 0, turns them on;
 * CLICOLOR=0 turns them off. If none applies, colours_fit_terminal decides. A file of messages has
 * colours only if `choice` is "always". */
bool colours_wanted(const char *choice, bool is_file, int descriptor);

#endif
