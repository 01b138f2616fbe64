/* What the tool note of the output records of the command line. */
#ifndef WARPLD_CLI_RECORD_H
#define WARPLD_CLI_RECORD_H

#include "cli/options.h"

/* Whether the note also names inputs and output. */
bool record_names_files(const struct command_line *line);

/* The text, in the arena. */
const char *record_command_line(const struct command_line *line);

#endif
