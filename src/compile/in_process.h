/* Compiles PTX with a library that is loaded into this program. */
#ifndef WARPLD_COMPILE_IN_PROCESS_H
#define WARPLD_COMPILE_IN_PROCESS_H

#include <stdbool.h>

#include "compile/batch.h"
#include "compile/ptx_compiler.h"

/* Compiles the pending texts of the batch with the chosen plug-in, on several threads. Returns
 * false if memory has run out. */
bool in_process_compile(struct ptx_batch *batch, const struct ptx_compiler_settings *settings);

#endif
