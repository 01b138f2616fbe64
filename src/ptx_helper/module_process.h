/* A process that makes the module of kept names while this one loads nvJitLink. libnvvm and
 * nvJitLink take 5 ms each to load. Two threads would not save time, because the loader holds a
 * lock. */
#ifndef WARPLD_PTX_HELPER_MODULE_PROCESS_H
#define WARPLD_PTX_HELPER_MODULE_PROCESS_H

#include <sys/types.h>

#include "compile/optimiser.h"

struct module_process {
    pid_t id;   /* 0: none was started */
    int output; /* where the module can be read */
};

/* Starts the process if the job keeps names, and lets the job wait for it. A failure is not
 * reported: the job then makes the module itself. */
void module_process_start(struct module_process *process, struct optimiser_job *job);

/* Waits for the end. */
void module_process_end(struct module_process *process);

#endif
