/* cubintool size: prints how many bytes of a cubin each space, function and so on takes. */
#ifndef WARPLD_TOOL_SIZE_SIZE_H
#define WARPLD_TOOL_SIZE_SIZE_H

#include "tool/command/command.h"

int command_size(const struct tool_options *options);

#endif
