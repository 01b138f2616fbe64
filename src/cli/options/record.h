/* What the tool note of the output records of the command line. */
#ifndef WARPLD_CLI_OPTIONS_RECORD_H
#define WARPLD_CLI_OPTIONS_RECORD_H

#include "cli/options/options.h"

/* The name of the output, without its folder; NULL where no files are named. */
const char *record_output(const struct command_line *line);

/* The command line, in the arena. */
const char *record_command_line(const struct command_line *line);

#endif
