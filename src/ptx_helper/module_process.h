/* A child process that makes modules of kept names (see compile/optimiser.h). It makes the first
 * module while the parent loads nvJitLink, and others when the parent asks for them. libnvvm and
 * nvJitLink take 5 ms each to load, so the child loads libnvvm, and the parent only nvJitLink. Two
 * threads would not save time, because the loader holds a lock. */
#ifndef WARPLD_PTX_HELPER_MODULE_PROCESS_H
#define WARPLD_PTX_HELPER_MODULE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "compile/optimiser.h"

struct module_process {
    pid_t id;           /* 0: none was started, or it has failed */
    int socket;         /* to the process */
    bool has_had_first; /* the module of the job's names was taken */
};

/* Starts the process if the job keeps names, and lets the job ask it for modules. A failure is not
 * reported: the job then makes the module itself. */
void module_process_start(struct module_process *process, struct optimiser_job *job);

/* Ends the process. */
void module_process_end(struct module_process *process);

#endif
