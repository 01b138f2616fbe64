/* The inputs of a link. */
#ifndef WARPLD_NVJITLINK_INPUTS_H
#define WARPLD_NVJITLINK_INPUTS_H

#include "nvjitlink/handle.h"

void jit_inputs_free(struct jit_link *link);

/* Returns a copy at the end of the list of inputs, which it becomes part of when the caller counts
 * it; NULL without memory. */
struct jit_input *jit_input_copy(struct jit_link *link, const void *data, size_t size,
                                 const char *name);

#endif
