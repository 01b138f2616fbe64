/* What a command line asks of the library. */
#ifndef WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H
#define WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H

#include "cli/options/options.h"
#include "warpld.h"

/* All that the words alone say; callbacks, and files that have to be opened, are the caller's. They
 * point into the line. */
struct warpld_options library_options(const struct command_line *line);

#endif
