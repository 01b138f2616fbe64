/* Barriers in memory that kernels need; see mbarriers.h. Part of pass_properties.
 *
 * nvlink adds the counts of records in reading order. The order matters in two cases. A sum that
 * needs more than 16 bits wraps around, unless it is exactly 0xffff at some point: from then on it
 * does not change any more. And a kernel that other kernels reach adds the sum that it has at this
 * time (inherit_in_order.c). */
#include "link/resources/mbarriers.h"

#include "base/arena.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/symbols.h"
#include "link/resources/inherit_in_order.h"
#include "link/resources/reach_sums.h"

/* Returns the kernel of a link with one kernel; NULL if the kernel is undefined (see gc.c) and so
 * has no records. */
static struct function *only_kernel(const link_context *link)
{
    struct function *kernel = NULL;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel)
            kernel = link->functions[i];
    return kernel;
}

/* Adds the counts of all records. The sum starts at 0, and the kernel's own count is added in its
 * turn (observed with sums that reach 0xffff). */
static void sum_everything(struct values_in_order *order)
{
    const struct function *kernel = only_kernel(order->link);
    for (size_t i = 0; kernel && i < order->count; i++) {
        uint32_t *sum = &order->values[kernel->index];
        if (order->records[i].function->kept)
            *sum = mbarriers_add(*sum, order->records[i].value);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* In any order                                                                                  */

/* Each count is turned into a weight, so that one sum of weights holds two results: the low 40 bits
 * are the sum of the known counts, and the high 24 bits are the number of unknown counts. With up
 * to MOST_RECORDS records neither part overflows. With more records, the counts are added in
 * order. */
static const uint64_t UNKNOWN_WEIGHT = UINT64_C(1) << 40;
enum { UNKNOWN_COUNT = 0xffff, MOST_RECORDS = 1 << 23 };

static uint64_t weight_of(uint32_t count)
{
    return count == UNKNOWN_COUNT ? UNKNOWN_WEIGHT : count;
}

/* Whether the order may matter: there are too many records, or a kernel with records is reached by
 * others, as a function with the name of a system function often is. */
static bool order_may_matter(const struct values_in_order *order)
{
    const uint32_t *callers = order->link->callgraph.callers.start;
    for (size_t i = 0; i < order->count; i++) {
        const struct function *source = order->records[i].function;
        if (source->kernel && callers[source->index] < callers[source->index + 1])
            return true;
    }
    return order->count > MOST_RECORDS;
}

/* Returns the sums of device functions' weights. */
static uint64_t *sum_weights(const struct values_in_order *order)
{
    link_context *link = order->link;
    uint64_t *weights = ARENA_ARRAY(&link->arena, uint64_t, link->functions_count);
    for (size_t i = 0; i < order->count; i++) {
        const struct function *source = order->records[i].function;
        if (source->kept && !source->kernel)
            weights[source->index] += weight_of(order->records[i].value);
    }
    return reach_sums(link, weights);
}

/* Sums the counts without regard to their order. Returns false if a sum wraps around, because then
 * the order matters. */
static bool sum_in_any_order(struct values_in_order *order)
{
    const link_context *link = order->link;
    const uint64_t *reached = sum_weights(order);
    values_start(order, INHERITED_MBARRIERS);
    for (size_t i = 0; i < link->functions_count; i++) {
        if (!link->functions[i]->kernel)
            continue;
        uint64_t sum = reached[link->callgraph.component[i]] + weight_of(order->values[i]);
        if (sum > UNKNOWN_COUNT && sum < UNKNOWN_WEIGHT)
            return false;
        order->values[i] = sum < UNKNOWN_COUNT ? (uint32_t)sum : UNKNOWN_COUNT;
    }
    return true;
}

uint32_t *mbarriers_sum(link_context *link, bool single)
{
    struct values_in_order order = {
        .link = link,
        .records = link->merge->mbarriers,
        .count = link->merge->mbarriers_count,
        .step = mbarriers_add,
        .values = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count),
    };
    if (single)
        sum_everything(&order);
    else if (order.count && (order_may_matter(&order) || !sum_in_any_order(&order))) {
        values_start(&order, INHERITED_MBARRIERS);
        values_inherit(&order);
    }
    return order.values;
}
