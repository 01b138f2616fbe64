/* Reads the files that were added. */
#ifndef WARPLD_LINK_INPUT_READ_INPUTS_H
#define WARPLD_LINK_INPUT_READ_INPUTS_H

#include "link/model/link_context.h"

/* Reads the files that were added since the last call. */
void read_inputs(link_context *link);

#endif
