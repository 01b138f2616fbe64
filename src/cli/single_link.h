/* The link of the command for one target. */
#ifndef WARPLD_CLI_SINGLE_LINK_H
#define WARPLD_CLI_SINGLE_LINK_H

#include "cli/command.h"
#include "warpld.h"

/* Links as the command line, which has been checked, asks for, and writes the output and what
 * describes it. Problems are reported. */
enum warpld_status single_link_run(struct command *command);

#endif
