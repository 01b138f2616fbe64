/* Counts the texture, sampler and surface references that a kernel can use; see textures.c. */
#ifndef WARPLD_LINK_LAYOUT_TEXTURES_H
#define WARPLD_LINK_LAYOUT_TEXTURES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Returns the number of references of the symbol type `type` that the kernel can use. These are all
 * references of the link, except parameters of other kernels. */
uint32_t textures_of_kernel(const link_context *link, const struct function *kernel, uint8_t type);

#endif
