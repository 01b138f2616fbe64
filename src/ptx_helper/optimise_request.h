/* Link-time optimisation as a process: reads the request that compile/optimiser_process.h
 * describes, and answers it. */
#ifndef WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H
#define WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H

/* Returns an exit status. */
int optimise_request(void);

#endif
