/* Answers one request for link-time optimisation in a separate process, which reads the request
 * from standard input. compile/optimiser_process.h describes the request and the answer. */
#ifndef WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H
#define WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H

/* Returns an exit status. */
int optimise_request(void);

#endif
