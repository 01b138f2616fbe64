/* Runs the command's link for one target. */
#ifndef WARPLD_CLI_SINGLE_LINK_H
#define WARPLD_CLI_SINGLE_LINK_H

#include "cli/command.h"
#include "warpld.h"

/* Runs the link that the command line requests, and writes the output and the files that describe
 * it. Requires that the command line has been checked. Reports all problems. */
enum warpld_status single_link_run(struct command *command);

#endif
