/* What the parts of a call graph need of the attributes that kernels inherit. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H
#define WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H

#include "link/model/inherited_kind.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Of a part of the call graph: where the first record of each kind was read, and the largest value.
 * Kinds that depend on the set of functions (externs, sums) have only their place here. */
struct inherited_needs {
    uint32_t sequence[INHERITED_COUNT];
    uint32_t largest[INHERITED_MAXIMA]; /* of REG_RECONFIG where the last was read that is not 0 */
    uint32_t reconfiguration;           /* and its value */
};

/* What a function has itself, of which there is some; single: in a link with one kernel. */
struct inherited_needs inherited_of(const struct function *function, bool single);
void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part);

/* Of several records of a kernel the last counts, in a link with one kernel all (observed). */
static inline uint32_t inherited_own_value(const struct function *function,
                                           const struct inherited *own, bool single)
{
    return function->kernel && !single ? own->last : own->total;
}

#endif
