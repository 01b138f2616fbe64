/* A child process that calls libnvvm, so that its parent need not load this library.
 *
 * Link-time optimisation needs libnvvm to make modules of LTO-IR that keep names visible (see
 * compile/optimiser.h). The child makes the first module while the parent loads nvJitLink, and
 * others when the parent asks for them. Each of the two libraries takes 5 ms to load. Two threads
 * of one process would not save time, because the loader holds a lock. */
#ifndef WARPLD_PTX_HELPER_MODULE_PROCESS_H
#define WARPLD_PTX_HELPER_MODULE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "compile/optimiser.h"

struct module_process {
    pid_t id;           /* 0: none was started, or it has failed */
    int socket;         /* to the process */
    bool has_had_first; /* the first module, which needs no request, was taken already */
};

/* Starts the process if the job keeps names, and lets the job ask it for modules. A failure is not
 * reported: the job then makes the module itself. */
void module_process_start(struct module_process *process, struct optimiser_job *job);

/* Ends the process. */
void module_process_end(struct module_process *process);

#endif
