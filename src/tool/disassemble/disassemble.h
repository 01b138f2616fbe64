/* cubintool disassemble: prints the code of functions, as disassembled by nvdisasm, with the
 * relocations of each instruction. */
#ifndef WARPLD_TOOL_DISASSEMBLE_DISASSEMBLE_H
#define WARPLD_TOOL_DISASSEMBLE_DISASSEMBLE_H

#include "tool/command/command.h"

int command_disassemble(const struct tool_options *options);

#endif
