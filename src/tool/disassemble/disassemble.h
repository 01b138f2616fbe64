/* cubintool disassemble: the code of functions, by NVIDIA's nvdisasm, with facts that the linker
 * knows. */
#ifndef WARPLD_TOOL_DISASSEMBLE_DISASSEMBLE_H
#define WARPLD_TOOL_DISASSEMBLE_DISASSEMBLE_H

#include "tool/command/command.h"

int command_disassemble(const struct tool_options *options);

#endif
