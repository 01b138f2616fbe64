/* cubintool resources: what kernels and functions need of a device. */
#ifndef WARPLD_TOOL_RESOURCES_H
#define WARPLD_TOOL_RESOURCES_H

#include "tool/command/command.h"

int command_resources(const struct tool_options *options);

#endif
