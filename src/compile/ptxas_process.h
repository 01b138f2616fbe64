/* Compiles PTX with ptxas as a process. */
#ifndef WARPLD_COMPILE_PTXAS_PROCESS_H
#define WARPLD_COMPILE_PTXAS_PROCESS_H

#include <stdbool.h>

#include "compile/batch.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"

/* The files of ptxas in its working directory. Without -o ptxas writes its output to elf.o. The
 * source has the name that nvlink's built-in compiler uses, so that messages are the same. */
#define PTXAS_SOURCE   "application ptx input"
#define PTXAS_OUTPUT   "elf.o"
#define PTXAS_MESSAGES "messages"

/* Compiles the pending texts of the batch with the chosen program, which takes the arguments of
 * ptxas. Returns false, and has reported why, if there is no temporary folder. */
bool ptxas_process_compile(struct ptx_batch *batch, const struct ptx_compiler_settings *settings);

/* The program with its arguments, ended by NULL; they belong to the arena of the batch. */
const char **ptxas_process_command_line(struct ptx_batch *batch,
                                        const struct compilation *compilation);

/* If the program crashed, exceeded the time limit or printed too much, keeps a message about it for
 * ptx_job_report. */
void ptxas_process_keep_fault(struct ptx_batch *batch, struct compilation *compilation,
                              const struct process_result *result);

/* Ends what ptxas_process_compile left when memory ran out: waits for the processes and removes
 * the temporary folder. */
void ptxas_process_clean(struct ptx_batch *batch);

#endif
