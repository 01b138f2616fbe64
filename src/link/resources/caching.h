/* Decides which kernels cache their loads: turns records LOAD_CACHE_REQUEST of the inputs into
 * records EXPLICIT_CACHING. */
#ifndef WARPLD_LINK_RESOURCES_CACHING_H
#define WARPLD_LINK_RESOURCES_CACHING_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Collects the preferences of the kernels and warns about conflicts. Returns NULL if no input has a
 * request. `single` is set if the link has one kernel. This kernel is treated as reaching each
 * function, except in the search for conflicts. */
struct caching;
struct caching *caching_prepare(link_context *link, bool single);

/* Adds the kernel's EXPLICIT_CACHING records. */
void caching_complete(struct caching *caching, struct function *kernel);

#endif
