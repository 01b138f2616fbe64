/* cubintool list: what device code a file holds. */
#ifndef WARPLD_TOOL_LIST_H
#define WARPLD_TOOL_LIST_H

#include "tool/command/command.h"

int command_list(const struct tool_options *options);

#endif
