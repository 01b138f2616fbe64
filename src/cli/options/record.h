/* Makes the record of the command line in the output's tool note. */
#ifndef WARPLD_CLI_OPTIONS_RECORD_H
#define WARPLD_CLI_OPTIONS_RECORD_H

#include "cli/options/options.h"

/* Returns the name of the output without its folder; NULL if the record contains no file names. */
const char *record_output(const struct command_line *line);

/* Returns the recorded text of the command line, in the arena of the line. */
const char *record_command_line(const struct command_line *line);

#endif
