/* The inputs of a link. */
#ifndef WARPLD_NVJITLINK_INPUTS_H
#define WARPLD_NVJITLINK_INPUTS_H

#include "nvjitlink/handle.h"

void jit_inputs_free(struct jit_link *link);

#endif
