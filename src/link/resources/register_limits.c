/* Reports functions that raise the register counts of kernels that reach them.
 *
 * Part of pass_properties. This work is necessary only if a kernel exceeds its limit, or if the
 * raised counts must be reported to the caller or traced.
 *
 * nvlink visits the functions in the order in which their definitions were read. For each function,
 * it raises the counts of the kernels that reach the function and have a lower count. It begins
 * with the kernel that was read last. If a count becomes larger than the kernel's limit, nvlink
 * reports an error. So a function is reported for a kernel only if it needs more registers than all
 * functions visited before. This was observed with nvlink 13.0.88 in 240 random call graphs of one
 * and two files, with direct and indirect calls and recursion. */
#include "link/resources/register_limits.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "link/model/callgraph.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"
#include "link/notes/limit_remedies.h"
#include "link/resources/call_path.h"
#include "link/resources/limit_parts.h"
#include "warpld.h"

/* True if the kernel, or a function that it reaches, needs more registers than the kernel's
 * limit. */
static bool is_over_limit(const struct function *kernel)
{
    return kernel->register_limit != NO_REGISTER_LIMIT &&
           kernel->needed_registers > kernel->register_limit;
}

/* The state of the walks through the call graph. There is a walk for each function. The walk visits
 * the function and its direct and indirect callers, and raises the counts of the kernels among
 * them.
 *
 * A walk enters a node only if a kernel that reaches the node has a lower count than the walk's
 * function. So if a later walk enters the same node, its function has a larger count. Counts are
 * bytes, so all walks together enter a node fewer than 256 times. */
struct raising {
    link_context *link;
    uint32_t *counts; /* by function index: the kernel's count after the walks so far */
    uint32_t *least;  /* by node: the smallest count of all kernels that reach the node */
    uint32_t *queue;
    GROWING_ARRAY(const struct function *, raised);
};

#define NEVER_RAISED UINT32_MAX

/* Returns the count of a kernel before the first walk.
 *
 * With `all`, each raise must be reported, so this is the kernel's own register count. Without
 * `all`, only raises above the kernel's limit must be reported. The result is then the limit or, if
 * it is larger, the kernel's own register count. Returns NEVER_RAISED if no raise of this kernel
 * must be reported. */
static uint32_t first_count(const struct function *kernel, bool all)
{
    if (!kernel->kernel || kernel->needed_registers <= kernel->register_count)
        return NEVER_RAISED;
    if (all)
        return kernel->register_count;
    if (!is_over_limit(kernel))
        return NEVER_RAISED;
    bool is_within = kernel->register_count <= kernel->register_limit;
    return is_within ? kernel->register_limit : kernel->register_count;
}

static bool is_any_raised(const link_context *link, bool all)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (first_count(link->functions[i], all) != NEVER_RAISED)
            return true;
    return false;
}

static void count_kernels(struct raising *raising, bool all)
{
    link_context *link = raising->link;
    raising->counts = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++)
        raising->counts[i] = first_count(link->functions[i], all);
}

static void lower(uint32_t *least, uint32_t count)
{
    if (count < *least)
        *least = count;
}

/* Computes raising->least. Visits callers before callees. */
static void find_least(struct raising *raising)
{
    link_context *link = raising->link;
    const struct callgraph *graph = &link->callgraph;
    uint32_t *of = ARENA_ARRAY(&link->arena, uint32_t, (size_t)graph->component_count + 1);
    for (uint32_t i = 0; i <= graph->component_count; i++)
        of[i] = NEVER_RAISED;
    for (size_t i = 0; i < link->functions_count; i++)
        lower(&of[graph->component[i]], raising->counts[i]);
    for (uint32_t i = graph->order_count; i-- > 0;) {
        uint32_t node = graph->order[i];
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++)
            lower(&of[graph->component[graph->callees.targets[e]]], of[graph->component[node]]);
    }
    raising->least = ARENA_ARRAY(&link->arena, uint32_t, graph->node_count);
    for (uint32_t node = 0; node < graph->node_count; node++)
        raising->least[node] = of[graph->component[node]];
}

static uint32_t registers_of(const struct function *function)
{
    return function->register_count;
}

static void report_register_limit(link_context *link, const struct function *kernel,
                                  const struct function *function)
{
    if (!is_over_limit(kernel) || function->register_count <= kernel->register_limit)
        return;
    const char *name = symbol_name(kernel->symbol);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTER_LIMIT, kernel->symbol->object->name,
                      name, name, kernel->register_limit, symbol_name(function->symbol),
                      (int)function->register_count); /* as nvlink prints it */
    if (!limit_may_be_explained(link))
        return;
    struct call_search calls;
    call_search_from(&calls, link, kernel);
    struct call_path path = call_search_path(&calls, function->index);
    call_path_report(link, &path, registers_of, "registers");
    limit_remedy_registers(link, kernel, function);
}

static void report_raised(link_context *link, const struct function *kernel,
                          const struct function *function)
{
    const struct warpld_options *options = &link->options;
    struct warpld_raised_registers raised = {
        .size = sizeof raised,
        .kernel = symbol_name(kernel->symbol),
        .function = symbol_name(function->symbol),
        .register_count = function->register_count,
    };
    TRACE(&link->trace, TRACE_REGISTERS_RAISED, raised.register_count, raised.function,
          raised.kernel);
    if (options->raised_registers)
        options->raised_registers(options->call_graph_context, &raised);
}

/* Compares functions by descending index. Functions are numbered in reading order, so the function
 * that was read last comes first. */
static int last_read_first(const void *a, const void *b)
{
    const struct function *first = *(const struct function *const *)a;
    const struct function *second = *(const struct function *const *)b;
    return first->index > second->index ? -1 : first->index < second->index;
}

static void visit_raised(struct raising *raising, uint32_t node, uint32_t count, uint32_t *size)
{
    link_context *link = raising->link;
    if (raising->least[node] >= count)
        return;
    raising->least[node] = count;
    raising->queue[(*size)++] = node;
    if (node >= link->callgraph.function_count || raising->counts[node] >= count)
        return;
    raising->counts[node] = count;
    *ARENA_APPEND(&link->arena, raising, raised) = link->functions[node];
}

static void raise_counts(struct raising *raising, const struct function *function)
{
    const struct adjacency *callers = &raising->link->callgraph.callers;
    uint32_t size = 0;
    raising->raised_count = 0;
    visit_raised(raising, function->index, function->register_count, &size);
    for (uint32_t next = 0; next < size; next++) {
        uint32_t node = raising->queue[next];
        for (uint32_t e = callers->start[node]; e < callers->start[node + 1]; e++)
            visit_raised(raising, callers->targets[e], function->register_count, &size);
    }
    if (raising->raised_count)
        qsort(raising->raised, raising->raised_count, sizeof *raising->raised, last_read_first);
    for (size_t i = 0; i < raising->raised_count; i++) {
        report_register_limit(raising->link, raising->raised[i], function);
        report_raised(raising->link, raising->raised[i], function);
    }
}

static void raise_all(struct raising *raising)
{
    const link_context *link = raising->link;
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct input_object *object = link->objects[i];
        for (uint32_t s = 1; s < object->elf.symbols[VIEW_NATIVE].count; s++) {
            const struct symbol *symbol = object->symbols[s];
            const struct function *function = symbol ? symbol->function : NULL;
            if (function && copy_is_accepted(object->copies[s]) && function->kept)
                raise_counts(raising, function);
        }
    }
}

void register_limits(link_context *link)
{
    bool all = link->options.raised_registers || trace_has(&link->trace, TRACE_CATEGORY_INFO);
    struct raising raising = {.link = link};
    if (!is_any_raised(link, all))
        return;
    count_kernels(&raising, all);
    find_least(&raising);
    raising.queue = ARENA_ARRAY(&link->arena, uint32_t, link->callgraph.node_count);
    raise_all(&raising);
}
