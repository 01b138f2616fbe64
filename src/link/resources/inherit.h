/* Attributes that kernels inherit from the functions that they reach. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_H
#define WARPLD_LINK_RESOURCES_INHERIT_H

#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resources/inherited_needs.h"

struct caching;

/* What depends on which functions a kernel reaches, for all kernels at once; caching: from
 * caching_prepare. */
struct inheritance;
struct inheritance *inheritance_prepare(link_context *link, struct caching *caching);

/* Reports what kernels must not inherit. */
void inheritance_finish(struct inheritance *inheritance);

/* Completes the records of one kernel; needs is what it and everything that it reaches need, NULL
 * nothing; flag_barriers what the flags of the code count of the device functions it reaches. */
void inherit(struct inheritance *inheritance, struct function *kernel,
             const struct inherited_needs *needs, uint32_t flag_barriers);

/* The same for the slots of the unified function table, whose records stand in one section in the
 * order in which what they are inherited from was read (observed on sm_90). */
struct stub_needs {
    struct function *stub;
    const struct inherited_needs *needs;
};
void inherit_by_stubs(struct inheritance *inheritance, const struct stub_needs *stubs,
                      size_t count);

#endif
