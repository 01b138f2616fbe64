/* cubintool size: prints how the bytes of a cubin are divided among spaces, functions and so on. */
#ifndef WARPLD_TOOL_SIZE_SIZE_H
#define WARPLD_TOOL_SIZE_SIZE_H

#include "tool/command/command.h"

int command_size(const struct tool_options *options);

#endif
