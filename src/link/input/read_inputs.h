/* Reads the files that were added. */
#ifndef WARPLD_LINK_INPUT_READ_INPUTS_H
#define WARPLD_LINK_INPUT_READ_INPUTS_H

#include "link/model/link_context.h"

/* Those that were added since it was called before. */
void read_inputs(link_context *link);

#endif
