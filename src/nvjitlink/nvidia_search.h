/* Where NVIDIA's libnvJitLink is installed. */
#ifndef WARPLD_NVJITLINK_NVIDIA_SEARCH_H
#define WARPLD_NVJITLINK_NVIDIA_SEARCH_H

#include "nvjitlink/log.h"

/* Returns the path of the first library that is not warpld's; the caller frees it. NULL if there is
 * none. Appends the paths that were tried to `tried`, unless that is NULL. */
char *nvidia_search(struct jit_log *tried);

#endif
