/* The link of the command for one target. */
#ifndef WARPLD_CLI_SINGLE_LINK_H
#define WARPLD_CLI_SINGLE_LINK_H

#include "cli/command.h"
#include "warpld.h"

/* Runs the link that the command line asks for, and writes the output and the files that describe
 * it. Requires: the command line has been checked. Problems are reported. */
enum warpld_status single_link_run(struct command *command);

#endif
