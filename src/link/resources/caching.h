/* Decides which kernels cache their loads: turns records LOAD_CACHE_REQUEST of the inputs into
 * records EXPLICIT_CACHING. */
#ifndef WARPLD_LINK_RESOURCES_CACHING_H
#define WARPLD_LINK_RESOURCES_CACHING_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Collects the preferences of the kernels, and warns about conflicts. Returns NULL if no input has
 * a request. `single` must be set if the link has exactly one kernel. This kernel then gets records
 * as if it reached every kept function, but the search for conflicts uses the real call graph. */
struct caching;
struct caching *caching_prepare(link_context *link, bool single);

/* Adds the kernel's EXPLICIT_CACHING records. */
void caching_complete(struct caching *caching, struct function *kernel);

#endif
