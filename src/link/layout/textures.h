/* Slots of texture, sampler and surface references. */
#ifndef WARPLD_LINK_LAYOUT_TEXTURES_H
#define WARPLD_LINK_LAYOUT_TEXTURES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* The number of references of a type that the kernel can use: all of the link, except parameters of
 * other kernels. */
uint32_t textures_of_kernel(const link_context *link, const struct function *kernel, uint8_t type);

#endif
