/* cubintool symbols: prints the symbols of a cubin with their memory spaces. */
#ifndef WARPLD_TOOL_SYMBOLS_H
#define WARPLD_TOOL_SYMBOLS_H

#include "tool/command/command.h"

int command_symbols(const struct tool_options *options);

#endif
