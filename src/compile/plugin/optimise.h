/* Link-time optimisation in this process, with dlopen. */
#ifndef WARPLD_COMPILE_PLUGIN_OPTIMISE_H
#define WARPLD_COMPILE_PLUGIN_OPTIMISE_H

#include "compile/optimiser.h"

/* An optimiser_function. */
bool optimise_in_process(const struct optimiser_job *job, struct optimiser_output *output);

/* Makes the module that keeps the job's kept names visible; see optimiser.h. If that fails, adds a
 * message to the output. Returns false if memory has run out. */
bool optimise_make_module(const struct optimiser_job *job, struct optimiser_module *module,
                          struct optimiser_output *output);

#endif
