/* The script that --gen-host-linker-script writes for the host's linker. */
#ifndef WARPLD_CLI_HOST_SCRIPT_H
#define WARPLD_CLI_HOST_SCRIPT_H

#include "cli/options/options.h"

/* Writes the script to the file of -o or, without -o, to standard output. Returns NULL or an error
 * message. */
const char *host_script_write(const struct command_line *line);

#endif
