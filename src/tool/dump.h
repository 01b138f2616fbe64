/* cubintool dump: prints the contents of a file as text or JSON. */
#ifndef WARPLD_TOOL_DUMP_H
#define WARPLD_TOOL_DUMP_H

#include "tool/command/command.h"

int command_dump(const struct tool_options *options);

#endif
