/* Computes inherited values that can depend on the order of the records; see inherited_values.h.
 * Part of pass_properties.
 *
 * nvlink visits all records in reading order. Each kernel that reaches the function of a record
 * inherits the record's value, and nvlink stores the kernel's new value in the kernel's own last
 * record. So if a kernel K reaches another kernel, K inherits the current value of the other
 * kernel's last record, but the unchanged values of its earlier records. This was observed in 2,000
 * links in which kernels reach kernels, with NUM_MBARRIERS and REG_RECONFIG. */
#include "link/resources/inherited_values.h"

#include "base/arena.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/kernel_set.h"
#include "link/model/symbols.h"
#include "link/resources/reach_sums.h"

/* Returns the new value of a kernel that has the value `own` and inherits `value`. */
typedef uint32_t inherit_step(uint32_t own, uint32_t value);

/* The values of one kind. */
struct values_in_order {
    link_context *link;
    const struct inherited_value *records; /* in reading order */
    size_t count;
    inherit_step *step;
    uint32_t *values; /* by function index: the current value of the kernel */
};

/* --------------------------------------------------------------------------------------------- */
/* Record by record                                                                              */

/* Sets the value of each kernel to the value of the kernel's own last record. */
static void start_with_own(struct values_in_order *order, enum inherited_kind kind)
{
    const link_context *link = order->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool has_any = function->kernel && function->kept && function->inherited_kinds;
        order->values[i] = has_any ? function_inherited(function, kind)->last : 0;
    }
}

/* Returns an array by function index: 1 + the index of the function's last record; 0 if it has
 * none. */
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

/* Lets all kernels that reach the function of a record inherit the record's value. Begins with the
 * newest kernel. A kernel inherits from itself only if it is in a cycle of calls. */
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

/* True if inherit_in_order could take too long: MOST_STEPS steps take about a second. Then the
 * callers ignore the order of the records. This changes the result only if kernels reach kernels,
 * or if sums wrap around. No compiler makes such programs. */
static bool has_too_many_steps(const struct values_in_order *order)
{
    enum { MOST_STEPS = 1 << 26 };
    const link_context *link = order->link;
    size_t kernels = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        kernels += link->functions[i]->kernel;
    return kernels && order->count > MOST_STEPS / kernels;
}

/* Visits all records in reading order, and lets kernels inherit their values. */
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

/* The order of NUM_MBARRIERS records matters in two cases:
 *
 * - A sum needs more than 16 bits. It then wraps around, unless it is exactly 0xffff at some point:
 *   from then on it does not change.
 * - A kernel reaches another kernel that has records. It inherits the sum that the other kernel has
 *   when the other kernel's last record is visited.
 *
 * In all other links, sum_in_any_order computes the sums, which is faster. */

/* Returns the kernel of a link with one kernel. Returns NULL if the kernel is undefined (see gc.c);
 * it has no records then. */
static struct function *only_kernel(const link_context *link)
{
    struct function *kernel = NULL;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel)
            kernel = link->functions[i];
    return kernel;
}

/* For a link with one kernel: adds the counts of all records in reading order, starting at 0. The
 * kernel's own records have no precedence (observed with sums that reach 0xffff). */
static void sum_everything(struct values_in_order *order)
{
    const struct function *kernel = only_kernel(order->link);
    for (size_t i = 0; kernel && i < order->count; i++) {
        uint32_t *sum = &order->values[kernel->index];
        if (order->records[i].function->kept)
            *sum = mbarriers_add(*sum, order->records[i].value);
    }
}

/* A count of 0xffff means an unknown count, which makes the whole sum unknown. To add up counts
 * with reach_sums, each count is represented by a weight of 64 bits. In a sum of weights, the lower
 * 40 bits are the sum of the known counts, and the upper 24 bits are the number of unknown counts.
 * With up to MOST_RECORDS records, neither part overflows. With more records, the counts are added
 * in reading order. */
static const uint64_t UNKNOWN_WEIGHT = UINT64_C(1) << 40;
enum { UNKNOWN_COUNT = 0xffff, MOST_RECORDS = 1 << 23 };

static uint64_t weight_of(uint32_t count)
{
    return count == UNKNOWN_COUNT ? UNKNOWN_WEIGHT : count;
}

/* Returns false if sum_in_any_order can be used. Returns true if there are too many records for it,
 * or if a kernel with records has callers. System functions that the program defines count as
 * kernels here, and often have callers. */
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

/* Returns, by component of the call graph, the sum of the weights of all device functions that the
 * component reaches. */
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

/* Adds up the counts without regard to their order. Returns false if a sum needs more than 16 bits,
 * because the order then matters. With `may_wrap`, such a sum wraps around instead. */
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

/* The inherit_step for REG_RECONFIG: a kernel has the last inherited value that is not 0. */
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

/* Keeps only one record of each function: the last one whose value is not 0. */
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
