/* Inherited attributes that parts of the call graph need. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H
#define WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H

#include "link/model/inherited_kind.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* The needs of a part of the call graph: when the first record of each kind was read, and the
 * largest value. Kinds that depend on the set of functions (externs, sums) have only their sequence
 * number here. */
struct inherited_needs {
    uint32_t sequence[INHERITED_COUNT];
    uint32_t largest[INHERITED_MAXIMA]; /* of REG_RECONFIG the sequence number of the last nonzero
                                           value */
    uint32_t reconfiguration;           /* the last nonzero value of REG_RECONFIG */
};

/* The needs of the function itself. Requires: it has at least one. single: the link has one kernel.
 */
struct inherited_needs inherited_of(const struct function *function, bool single);
void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part);

/* The value of a function's own records. If a kernel has several, nvlink uses the last one; in a
 * link with one kernel, it combines all of them (observed). */
static inline uint32_t inherited_own_value(const struct function *function,
                                           const struct inherited *own, bool single)
{
    return function->kernel && !single ? own->last : own->total;
}

#endif
