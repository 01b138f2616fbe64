/* The values of REG_RECONFIG records; see reconfigurations.h. Part of pass_properties. */
#include "link/resources/reconfigurations.h"

#include "base/arena.h"
#include "link/merge/merge_state.h"
#include "link/model/symbols.h"
#include "link/resources/inherit_in_order.h"

/* The last value that is not 0 wins. */
static uint32_t replace(uint32_t own, uint32_t value)
{
    return value ? value : own;
}

static bool any_is_set(const struct merge_state *merge)
{
    for (size_t i = 0; i < merge->reconfigurations_count; i++)
        if (merge->reconfigurations[i].value)
            return true;
    return false;
}

uint32_t *reconfigurations_find(link_context *link, bool single)
{
    if (single || !any_is_set(link->merge))
        return NULL;
    struct values_in_order order = {
        .link = link,
        .records = link->merge->reconfigurations,
        .count = link->merge->reconfigurations_count,
        .step = replace,
        .values = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count),
    };
    values_start(&order, INHERITED_REG_RECONFIG);
    values_inherit(&order);
    return order.values;
}
