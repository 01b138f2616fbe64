/* Combines the inherited attributes of functions in a part of the call graph. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H
#define WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H

#include "link/model/inherited_kind.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* The inherited attributes of the functions in a part of the call graph, by enum inherited_kind.
 *
 * `largest` has only the attributes of which a kernel inherits the largest value. It does not have
 * lists and sums, which need the whole set of functions, or REG_RECONFIG, which depends on the
 * order of records. */
struct inherited_needs {
    uint32_t sequence[INHERITED_COUNT]; /* number of the first record, in reading order; 0: none */
    uint32_t largest[INHERITED_MAXIMA]; /* largest value of the records */
};

/* inherited_of returns the needs of the function itself, without those of its callees. If a kernel
 * has several records of an attribute, the last one counts. But with `single`, which is for a link
 * with one kernel, the largest value counts. inherited_include adds the needs `part` to `sum`. */
struct inherited_needs inherited_of(const struct function *function, bool single);
void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part);

#endif
