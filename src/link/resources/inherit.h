/* Completes the attribute records that kernels inherit from the functions that they reach. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_H
#define WARPLD_LINK_RESOURCES_INHERIT_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resources/inherited_needs.h"

struct caching;

/* Builds the lists and sums that kernels inherit. Each depends on the whole set of functions that a
 * kernel reaches. `caching` is the result of caching_prepare. */
struct inheritance;
struct inheritance *inheritance_prepare(link_context *link, struct caching *caching);

/* Reports kernels that inherit attributes of which a kernel can have only one. */
void inheritance_finish(struct inheritance *inheritance);

/* Completes the records of one kernel. `needs` are the needs of the kernel and of all functions
 * that it reaches; NULL if there are none. `flag_barriers` is the largest number of barriers in the
 * flags of the device functions that it reaches. */
void inherit(struct inheritance *inheritance, struct function *kernel,
             const struct inherited_needs *needs, uint32_t flag_barriers);

/* Completes the records of the stubs of the unified function table in the same way. The records of
 * all stubs share one section, in the order in which the inherited records were read (observed on
 * sm_90). */
struct stub_needs {
    struct function *stub;
    const struct inherited_needs *needs;
};
void inherit_by_stubs(struct inheritance *inheritance, const struct stub_needs *stubs,
                      size_t count);

#endif
