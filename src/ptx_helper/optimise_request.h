/* Link-time optimisation as a process: reads the request in the working directory, and writes the
 * PTX there. */
#ifndef WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H
#define WARPLD_PTX_HELPER_OPTIMISE_REQUEST_H

/* Returns an exit status. */
int optimise_request(void);

#endif
