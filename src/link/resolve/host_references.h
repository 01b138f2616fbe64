/* Which kernels the host code refers to. */
#ifndef WARPLD_LINK_RESOLVE_HOST_REFERENCES_H
#define WARPLD_LINK_RESOLVE_HOST_REFERENCES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

struct host_references;

/* Returns false if the references are unknown: some input is not a host object or does not list its
 * references, none refers to a kernel, or the options keep all kernels. */
bool host_references_are_complete(const link_context *link);

/* Returns NULL if the references are unknown. */
struct host_references *host_references_collect(link_context *link);

/* The references of host code to constants, by name; host objects without such lists are ignored.
 */
struct host_references *host_references_of_constants(link_context *link);

/* Whether any pattern of the host objects matches the symbol of a kernel or constant. */
bool host_references_have(struct host_references *references, const struct symbol *symbol);

#endif
