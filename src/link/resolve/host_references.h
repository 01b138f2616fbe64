/* Finds the kernels and constants that host code refers to. nvcc lists them in host objects, as
 * patterns of names in which a star matches any text. */
#ifndef WARPLD_LINK_RESOLVE_HOST_REFERENCES_H
#define WARPLD_LINK_RESOLVE_HOST_REFERENCES_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"

struct host_references;

/* Whether all references of host code are known, so that they decide which kernels are kept. They
 * are not known, or not used, in these cases:
 * - an input is not a host object, or does not list its references
 * - no input except the device runtime refers to a kernel
 * - options decide which kernels are kept */
bool host_references_are_complete(const link_context *link);

/* Returns the references of host code to kernels; NULL if they are not known. */
struct host_references *host_references_collect(link_context *link);

/* Returns the references of host code to constants. Host objects that list no such references are
 * ignored. */
struct host_references *host_references_of_constants(link_context *link);

/* Whether host code refers to the kernel or constant: one of the patterns in `references` matches
 * its name. */
bool host_references_have(struct host_references *references, const struct symbol *symbol);

#endif
