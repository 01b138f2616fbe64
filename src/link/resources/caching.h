/* Which kernels cache their loads: converts LOAD_CACHE_REQUEST of the inputs to
 * EXPLICIT_CACHING. */
#ifndef WARPLD_LINK_RESOURCES_CACHING_H
#define WARPLD_LINK_RESOURCES_CACHING_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Collects the preferences of the kernels and warns of conflicts. single: the link has one kernel,
 * which is taken to reach every function except when looking for conflicts. NULL when no input has
 * a request. */
struct caching;
struct caching *caching_prepare(link_context *link, bool single);

/* Adds the kernel's EXPLICIT_CACHING records. */
void caching_complete(struct caching *caching, struct function *kernel);

#endif
