/* The inputs of a link. */
#ifndef WARPLD_NVJITLINK_INPUTS_H
#define WARPLD_NVJITLINK_INPUTS_H

#include "nvjitlink/handle.h"

void jit_inputs_free(struct jit_link *link);

/* Copies an input to the space after the last one in the list, and returns the copy. The list owns
 * the copy only after the caller has increased inputs_count. Returns NULL if memory has run out. */
struct jit_input *jit_input_copy(struct jit_link *link, const void *data, size_t size,
                                 const char *name);

#endif
