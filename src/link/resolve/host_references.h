/* Which kernels and constants the host code refers to. */
#ifndef WARPLD_LINK_RESOLVE_HOST_REFERENCES_H
#define WARPLD_LINK_RESOLVE_HOST_REFERENCES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

struct host_references;

/* Whether the references of host code are known. They are not if an input is not a host object
 * or does not list its references, if no input refers to a kernel, or if options decide which
 * kernels are kept. */
bool host_references_are_complete(const link_context *link);

/* Returns the references of host code to kernels; NULL if they are not known. */
struct host_references *host_references_collect(link_context *link);

/* Returns the references of host code to constants, by name. Host objects without a list of them
 * are ignored. */
struct host_references *host_references_of_constants(link_context *link);

/* Whether one of the patterns matches the symbol of a kernel or constant. */
bool host_references_have(struct host_references *references, const struct symbol *symbol);

#endif
