/* The command line as the tool note of the output records it. */
#ifndef WARPLD_CLI_OPTIONS_RECORD_H
#define WARPLD_CLI_OPTIONS_RECORD_H

#include "cli/options/options.h"

/* The name of the output, without its folder; NULL if the record is to name no files. */
const char *record_output(const struct command_line *line);

/* The recorded text of the command line, in the arena of the line. */
const char *record_command_line(const struct command_line *line);

#endif
