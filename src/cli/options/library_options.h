/* Translates a command line into options of the library. */
#ifndef WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H
#define WARPLD_CLI_OPTIONS_LIBRARY_OPTIONS_H

#include "cli/options/options.h"
#include "warpld.h"

/* Returns all options that follow from the arguments alone. The caller adds callbacks and the
 * contents of files. The strings are valid as long as `line` and its arena. */
struct warpld_options library_options(const struct command_line *line);

#endif
