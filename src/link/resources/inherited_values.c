/* Computes values that kernels inherit, where the order of the records can matter; see
 * inherited_values.h. Part of pass_properties.
 *
 * nvlink visits the records in reading order and changes the kernels' own records in place. Kernels
 * can reach other kernels. From the last record of a reached kernel they inherit the value that
 * this kernel has when nvlink visits the record. From its earlier records they inherit the values
 * as they were read (observed in 2,000 links in which kernels reach kernels, with NUM_MBARRIERS and
 * REG_RECONFIG). */
#include "link/resources/inherited_values.h"

#include "base/arena.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/kernel_set.h"
#include "link/model/symbols.h"
#include "link/resources/reach_sums.h"

/* Returns the new value of a kernel that inherits `value`. */
typedef uint32_t inherit_step(uint32_t own, uint32_t value);

/* The values of one kind. */
struct values_in_order {
    link_context *link;
    const struct inherited_value *records; /* in reading order */
    size_t count;
    inherit_step *step;
    uint32_t *values; /* the value of each kernel, by function index */
};

/* --------------------------------------------------------------------------------------------- */
/* Record by record                                                                              */

/* Sets the value of each kernel to that of the kernel's last record. */
static void start_with_own(struct values_in_order *order, enum inherited_kind kind)
{
    const link_context *link = order->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool has_any = function->kernel && function->kept && function->inherited_kinds;
        order->values[i] = has_any ? function_inherited(function, kind)->last : 0;
    }
}

/* Returns the index + 1 of each function's last record, by function index. */
static size_t *find_last_records(const struct values_in_order *order)
{
    size_t *last = ARENA_ARRAY(&order->link->arena, size_t, order->link->functions_count);
    for (size_t i = 0; i < order->count; i++)
        last[order->records[i].function->index] = i + 1;
    return last;
}

static void find_record_sets(const struct values_in_order *order, struct kernel_sets *sets)
{
    link_context *link = order->link;
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < order->count; i++)
        interesting[order->records[i].function->index] = order->records[i].function->kept;
    kernel_sets_find(link, interesting, sets);
}

/* Gives the value of a record to the kernels that reach its function, the newest kernel first. A
 * kernel inherits from itself only if it is in a cycle of calls. */
static void give_to_kernels(struct values_in_order *order, const struct kernel_sets *sets,
                            const struct inherited_value *record, bool is_last)
{
    const struct callgraph *graph = &order->link->callgraph;
    const struct function *source = record->function;
    bool is_changed = source->kernel && is_last;
    EACH_KERNEL_BACKWARDS(id, sets->set[source->index])
    {
        const struct function *kernel = sets->kernels[id];
        uint32_t value = is_changed ? order->values[source->index] : record->value;
        uint32_t *own = &order->values[kernel->index];
        if (kernel != source || graph->cyclic[graph->component[source->index]])
            *own = order->step(*own, value);
    }
}

/* Whether it would take too long to give each record to each kernel (MOST_STEPS take about a
 * second). Then the order of the records is ignored. The result differs only if kernels reach
 * kernels, or if sums wrap around, which no program that a compiler made does. */
static bool has_too_many_steps(const struct values_in_order *order)
{
    enum { MOST_STEPS = 1 << 26 };
    const link_context *link = order->link;
    size_t kernels = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        kernels += link->functions[i]->kernel;
    return kernels && order->count > MOST_STEPS / kernels;
}

/* Gives the values of all records to the kernels. */
static void inherit_in_order(struct values_in_order *order)
{
    const size_t *last = find_last_records(order);
    struct kernel_sets sets;
    find_record_sets(order, &sets);
    for (size_t i = 0; i < order->count; i++) {
        const struct inherited_value *record = &order->records[i];
        if (sets.set[record->function->index])
            give_to_kernels(order, &sets, record, last[record->function->index] == i + 1);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Barriers in memory                                                                            */

/* The order of NUM_MBARRIERS records matters in two cases. First, a sum that needs more than 16
 * bits wraps around. But if it is exactly 0xffff at some point, it does not change any more.
 * Second, a kernel that other kernels reach passes on the sum that it has when its last record is
 * visited. In all other links the sums are computed without regard to the order, which is
 * faster. */

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

/* For a link with one kernel, adds the counts of all records in reading order. The sum starts at 0.
 * The kernel's own counts are not added first, but in this order (observed with sums that reach
 * 0xffff). */
static void sum_everything(struct values_in_order *order)
{
    const struct function *kernel = only_kernel(order->link);
    for (size_t i = 0; kernel && i < order->count; i++) {
        uint32_t *sum = &order->values[kernel->index];
        if (order->records[i].function->kept)
            *sum = mbarriers_add(*sum, order->records[i].value);
    }
}

/* Each count is turned into a weight, so that one sum of weights holds two results: the low 40 bits
 * are the sum of the known counts, and the high 24 bits are the number of unknown counts. A count
 * of 0xffff is unknown. With up to MOST_RECORDS records neither part overflows. With more records,
 * the counts are added in order. */
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

/* Sums the counts without regard to their order. If a sum wraps around, the order matters: then
 * this returns false, unless `may_wrap` is set. */
static bool sum_in_any_order(struct values_in_order *order, bool may_wrap)
{
    const link_context *link = order->link;
    const uint64_t *reached = sum_weights(order);
    start_with_own(order, INHERITED_MBARRIERS);
    for (size_t i = 0; i < link->functions_count; i++) {
        if (!link->functions[i]->kernel)
            continue;
        uint64_t sum = reached[link->callgraph.component[i]] + weight_of(order->values[i]);
        if (!may_wrap && sum > UNKNOWN_COUNT && sum < UNKNOWN_WEIGHT)
            return false;
        order->values[i] = sum < UNKNOWN_WEIGHT ? (uint32_t)sum & UNKNOWN_COUNT : UNKNOWN_COUNT;
    }
    return true;
}

static void sum_in_order(struct values_in_order *order)
{
    if (has_too_many_steps(order)) {
        sum_in_any_order(order, true);
        return;
    }
    start_with_own(order, INHERITED_MBARRIERS);
    inherit_in_order(order);
}

uint32_t *inherited_mbarriers(link_context *link, bool single)
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
    else if (order.count && (order_may_matter(&order) || !sum_in_any_order(&order, false)))
        sum_in_order(&order);
    return order.values;
}

/* --------------------------------------------------------------------------------------------- */
/* Reconfiguration of registers                                                                  */

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

/* For each function, leaves only the last record whose value is not 0. */
static void keep_last_records(struct values_in_order *order)
{
    link_context *link = order->link;
    size_t *last = ARENA_ARRAY(&link->arena, size_t, link->functions_count);
    struct inherited_value *records =
        ARENA_ARRAY(&link->arena, struct inherited_value, link->functions_count);
    size_t count = 0;
    for (size_t i = 0; i < order->count; i++)
        if (order->records[i].value)
            last[order->records[i].function->index] = i + 1;
    for (size_t i = 0; i < order->count; i++)
        if (last[order->records[i].function->index] == i + 1)
            records[count++] = order->records[i];
    order->records = records;
    order->count = count;
}

uint32_t *inherited_reconfigurations(link_context *link, bool single)
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
    if (has_too_many_steps(&order))
        keep_last_records(&order);
    start_with_own(&order, INHERITED_REG_RECONFIG);
    inherit_in_order(&order);
    return order.values;
}
