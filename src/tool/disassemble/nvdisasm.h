/* Finds and runs nvdisasm, which may not be installed. */
#ifndef WARPLD_TOOL_DISASSEMBLE_NVDISASM_H
#define WARPLD_TOOL_DISASSEMBLE_NVDISASM_H

#include "base/arena.h"
#include "base/bytes.h"

/* Returns the path of nvdisasm: `chosen`. If `chosen` is NULL, searches CUDA_HOME, CUDA_PATH and
 * PATH in this order. If nvdisasm is not found, reports where to get it and returns NULL. */
const char *nvdisasm_find(const char *chosen, struct arena *arena);

/* Runs nvdisasm on a cubin and returns its output: the code, with source lines if the cubin has
 * line information. If nvdisasm fails, reports the error and returns NULL. */
const char *nvdisasm_run(const char *program, struct bytes cubin, struct arena *arena);

#endif
