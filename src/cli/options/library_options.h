/* The library's options for a command line. */
#ifndef WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H
#define WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H

#include "cli/options/options.h"
#include "warpld.h"

/* Sets all options that follow from the arguments alone. The caller adds callbacks and the contents
 * of files. Strings point into the line. */
struct warpld_options library_options(const struct command_line *line);

#endif
