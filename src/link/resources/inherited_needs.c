/* Combines the inherited attributes of functions; see inherited_needs.h. */
#include "link/resources/inherited_needs.h"

#include "link/model/symbols.h"

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Returns the value of a function's own records of one attribute: the largest one. But if a kernel
 * has several records, nvlink uses the last one, except in a link with one kernel (observed). */
static uint32_t own_value(const struct function *function, const struct inherited *own, bool single)
{
    return function->kernel && !single ? own->last : own->largest;
}

struct inherited_needs inherited_of(const struct function *function, bool single)
{
    struct inherited_needs needs = {.sequence = {0}};
    const struct inherited *own = function->inherited;
    for (unsigned kind = 0; function->inherited_kinds >> kind; kind++) {
        if (!(function->inherited_kinds >> kind & 1))
            continue;
        needs.sequence[kind] = own->sequence;
        if (kind < INHERITED_MAXIMA)
            needs.largest[kind] = own_value(function, own, single);
        own++;
    }
    return needs;
}

void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part)
{
    for (int kind = 0; kind < INHERITED_COUNT; kind++)
        sum->sequence[kind] = earlier(sum->sequence[kind], part->sequence[kind]);
    for (int kind = 0; kind < INHERITED_MAXIMA; kind++)
        if (part->largest[kind] > sum->largest[kind])
            sum->largest[kind] = part->largest[kind];
}
