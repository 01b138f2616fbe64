/* Combines the inherited attributes of functions in a part of the call graph. */
#ifndef WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H
#define WARPLD_LINK_RESOURCES_INHERITED_NEEDS_H

#include "link/model/inherited_kind.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* What a part of the call graph needs: for each kind, the number of the first record in reading
 * order, and the largest value. Some kinds depend on the whole set of functions (lists, sums) or on
 * the order of records (REG_RECONFIG). For these, only the number of the first record is stored. */
struct inherited_needs {
    uint32_t sequence[INHERITED_COUNT];
    uint32_t largest[INHERITED_MAXIMA];
};

/* The needs of the function itself, without those of its callees. If a kernel has several records
 * of a kind, `single` decides which value counts: the largest if it is set, as in a link with one
 * kernel, otherwise the last. */
struct inherited_needs inherited_of(const struct function *function, bool single);
void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part);

#endif
