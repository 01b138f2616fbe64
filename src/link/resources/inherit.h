/* Completes the attribute records that kernels inherit from the functions that they reach. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_H
#define WARPLD_LINK_RESOURCES_INHERIT_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resources/inherited_needs.h"

struct caching;

/* Prepares the inheritance of all kernels. Computes attributes that need the whole set of functions
 * that a kernel reaches: lists and sums. `caching` is the result of caching_prepare. */
struct inheritance;
struct inheritance *inheritance_prepare(link_context *link, struct caching *caching);

/* Reports an error for each kernel that inherits two attributes that exclude each other. */
void inheritance_finish(struct inheritance *inheritance);

/* Completes the records of one kernel. `needs` are the needs of the kernel and of all functions
 * that it reaches; NULL if there are none. `flag_barriers` is the largest number of barriers in the
 * section flags of the device functions that the kernel reaches. */
void inherit(struct inheritance *inheritance, struct function *kernel,
             const struct inherited_needs *needs, uint32_t flag_barriers);

/* Completes the records of stubs in the unified function table, which inherit attributes like
 * kernels. One section contains the records of all stubs, in the order in which the inherited
 * records were read (observed on sm_90). */
struct stub_needs {
    struct function *stub;
    const struct inherited_needs *needs;
};
void inherit_by_stubs(struct inheritance *inheritance, const struct stub_needs *stubs,
                      size_t count);

#endif
