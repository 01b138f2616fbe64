/* Attributes that kernels inherit from the functions that they reach. */
#ifndef WARPLD_LINK_RESOURCES_INHERIT_H
#define WARPLD_LINK_RESOURCES_INHERIT_H

#include "link/model/link_context.h"
#include "link/model/release.h"

/* Of a part of the call graph: where the first record of each kind was read, and the largest value.
 * Kinds that depend on the set of functions (externs, sums) have only their place here. */
struct inherited_needs {
    uint32_t sequence[INHERITED_COUNT];
    uint32_t largest[INHERITED_MAXIMA]; /* of REG_RECONFIG where the last was read that is not 0 */
    uint32_t reconfiguration;           /* and its value */
};

/* The kind that an attribute is of; INHERITED_COUNT if kernels do not inherit it. */
enum inherited_kind inherited_kind_find(uint8_t code);
static inline enum inherited_kind inherited_kind(const link_context *link, uint8_t code)
{
    const struct info_attribute *attribute = link_attribute(link, code);
    bool inherits = attribute && attribute->propagation != INFO_PROPAGATION_NOTHING;
    return inherits ? inherited_kind_find(code) : INHERITED_COUNT; /* most are not */
}

/* What a function has itself, of which there is some; single: in a link with one kernel. */
struct inherited_needs inherited_of(const struct function *function, bool single);
void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part);

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
