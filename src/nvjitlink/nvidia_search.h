/* Finds the installed libnvJitLink of NVIDIA. */
#ifndef WARPLD_NVJITLINK_NVIDIA_SEARCH_H
#define WARPLD_NVJITLINK_NVIDIA_SEARCH_H

#include "nvjitlink/log.h"

/* Returns the path of the first libnvJitLink that is not warpld's own, or NULL if there is none;
 * the caller frees it. places.def lists the patterns in the order of the search. Appends the
 * patterns that were tried to `tried`, unless that is NULL. */
char *nvidia_search(struct jit_log *tried);

#endif
