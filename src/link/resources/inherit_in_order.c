/* Values that kernels inherit record by record; see inherit_in_order.h. Part of pass_properties.
 *
 * nvlink visits the records in reading order and changes the kernels' own records in place. So a
 * kernel that other kernels reach passes on the value that it has when its last record is visited,
 * and the values of its earlier records as they were read (observed in 2,000 links in which kernels
 * reach kernels, with NUM_MBARRIERS and REG_RECONFIG). */
#include "link/resources/inherit_in_order.h"

#include "base/arena.h"
#include "link/model/callgraph.h"
#include "link/model/kernel_set.h"
#include "link/model/symbols.h"
#include "link/resources/inherited_needs.h"

void values_start(struct values_in_order *order, enum inherited_kind kind)
{
    const link_context *link = order->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool has_any = function->kept && function->inherited_kinds;
        order->values[i] =
            has_any ? inherited_own_value(function, function_inherited(function, kind), false) : 0;
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

/* Passes the value of a record on, to the newest kernel first. A kernel inherits from itself only
 * if it is in a cycle of calls. */
static void pass_on(struct values_in_order *order, const struct kernel_sets *sets,
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

void values_inherit(struct values_in_order *order)
{
    const size_t *last = find_last_records(order);
    struct kernel_sets sets;
    find_record_sets(order, &sets);
    for (size_t i = 0; i < order->count; i++) {
        const struct inherited_value *record = &order->records[i];
        if (sets.set[record->function->index])
            pass_on(order, &sets, record, last[record->function->index] == i + 1);
    }
}
