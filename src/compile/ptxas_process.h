/* Compiles PTX with ptxas as a process. */
#ifndef WARPLD_COMPILE_PTXAS_PROCESS_H
#define WARPLD_COMPILE_PTXAS_PROCESS_H

#include <stdbool.h>

#include "compile/batch.h"
#include "compile/ptx_compiler.h"

/* Compiles the pending texts of the batch with the chosen program, which is called as ptxas is.
 * Returns false if there is no temporary folder, which is reported. */
bool ptxas_process_compile(struct ptx_batch *batch, const struct ptx_compiler_settings *settings);

/* Ends what ptxas_process_compile left when memory ran out: waits for the processes and removes
 * the temporary folder. */
void ptxas_process_clean(struct ptx_batch *batch);

#endif
