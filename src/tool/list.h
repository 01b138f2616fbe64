/* cubintool list: prints which device code a file contains. */
#ifndef WARPLD_TOOL_LIST_H
#define WARPLD_TOOL_LIST_H

#include "tool/command/command.h"

int command_list(const struct tool_options *options);

#endif
