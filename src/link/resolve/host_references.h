/* Which kernels the host code refers to. */
#ifndef WARPLD_LINK_RESOLVE_HOST_REFERENCES_H
#define WARPLD_LINK_RESOLVE_HOST_REFERENCES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

struct host_references;

/* NULL when host code cannot tell: some input is no host object or does not say what it refers to,
 * none refers to anything, or the options ask for all kernels. */
struct host_references *host_references_collect(link_context *link);

/* What host code says of constants, by their names; host objects that say nothing are passed over.
 */
struct host_references *host_references_of_constants(link_context *link);

/* Whether any pattern of the host objects matches the symbol of a kernel or constant. */
bool host_references_have(struct host_references *references, const struct symbol *symbol);

#endif
