/* cubintool resources: prints the resources that kernels and functions need. */
#ifndef WARPLD_TOOL_RESOURCES_H
#define WARPLD_TOOL_RESOURCES_H

#include "tool/command/command.h"

int command_resources(const struct tool_options *options);

#endif
