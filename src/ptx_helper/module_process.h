/* A child process that calls libnvvm, so that its parent need not load this library.
 *
 * Link-time optimisation needs libnvvm to make modules of LTO-IR that keep names visible (see
 * compile/optimiser.h). The child makes the first module while the parent loads nvJitLink, and
 * other modules when the parent asks for them. Loading takes 5 ms for each of the two libraries.
 * Two threads of one process could not load them at the same time, because the dynamic loader holds
 * a lock. */
#ifndef WARPLD_PTX_HELPER_MODULE_PROCESS_H
#define WARPLD_PTX_HELPER_MODULE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "compile/optimiser.h"

struct module_process {
    pid_t id;           /* process id of the child; 0: no child was started, or it has failed */
    int socket;         /* socket for requests to the child and for its answers */
    bool has_had_first; /* the parent has taken the first module, which needs no request */
};

/* Starts the child if the job keeps names, and lets the job ask it for modules. A failure is not
 * reported: the job then makes the modules itself. */
void module_process_start(struct module_process *process, struct optimiser_job *job);

/* Ends the child, if it was started. */
void module_process_end(struct module_process *process);

#endif
