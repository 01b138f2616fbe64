/* Which kernels cache what they load: LOAD_CACHE_REQUEST of the inputs becomes EXPLICIT_CACHING. */
#ifndef WARPLD_LINK_RESOURCES_CACHING_H
#define WARPLD_LINK_RESOURCES_CACHING_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* What the kernels of the link want, with warnings of conflicts; single: it has one, which is taken
 * to reach everything, but for conflicts. NULL when no input has a request. */
struct caching;
struct caching *caching_prepare(link_context *link, bool single);

/* Adds the kernel's records. */
void caching_complete(struct caching *caching, struct function *kernel);

#endif
