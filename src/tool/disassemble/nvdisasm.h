/* Finds and runs nvdisasm, which may not be installed. */
#ifndef WARPLD_TOOL_DISASSEMBLE_NVDISASM_H
#define WARPLD_TOOL_DISASSEMBLE_NVDISASM_H

#include "base/arena.h"
#include "base/bytes.h"

/* The path of nvdisasm: `chosen`, or, if that is NULL, the first that is found in the toolkits of
 * CUDA_HOME and CUDA_PATH and in PATH. NULL after a message that says where to get nvdisasm. */
const char *nvdisasm_find(const char *chosen, struct arena *arena);

/* The text that nvdisasm prints about the code of a cubin, with lines of the source if the cubin
 * has them. NULL after a message. */
const char *nvdisasm_run(const char *program, struct bytes cubin, struct arena *arena);

#endif
