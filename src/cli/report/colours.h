/* Whether messages are coloured. */
#ifndef WARPLD_CLI_REPORT_COLOURS_H
#define WARPLD_CLI_REPORT_COLOURS_H

#include <stdbool.h>

/* Whether the file is a terminal with colours, and NO_COLOR is not set (https://no-color.org). */
bool colours_fit_terminal(int descriptor);

/* Whether messages are coloured. `choice`, the value of --color or NULL, decides if it is not
 * "auto"; then the variables CLICOLOR and CLICOLOR_FORCE (https://bixense.com/clicolors) decide,
 * then colours_fit_terminal. A file of messages has colours only on request. */
bool colours_wanted(const char *choice, bool is_file, int descriptor);

#endif
