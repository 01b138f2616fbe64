/* cubintool uidx: shows index files of unified tables, and makes them. */
#ifndef WARPLD_TOOL_UIDX_H
#define WARPLD_TOOL_UIDX_H

#include "tool/command/command.h"

int command_uidx(const struct tool_options *options);

#endif
