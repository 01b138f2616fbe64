/* Whether messages are coloured. */
#ifndef WARPLD_CLI_REPORT_COLOURS_H
#define WARPLD_CLI_REPORT_COLOURS_H

#include <stdbool.h>

/* Whether the descriptor is a terminal that can show colours, and the variable NO_COLOR is not set
 * (https://no-color.org). */
bool colours_fit_terminal(int descriptor);

/* Whether messages are coloured. `choice` is the value of --color. It decides, unless it is NULL or
 * "auto". Otherwise the first of these rules that applies decides (https://bixense.com/clicolors):
 *
 *   A file of messages has no colours.
 *   If NO_COLOR is set, there are no colours.
 *   If CLICOLOR_FORCE is set and not 0, there are colours.
 *   If CLICOLOR is 0, there are no colours.
 *   If no other rule applies, colours_fit_terminal decides. */
bool colours_wanted(const char *choice, bool is_file, int descriptor);

#endif
