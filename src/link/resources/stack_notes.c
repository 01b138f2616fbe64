/* Reports the calls that make a kernel's stack large; see stack_notes.h. pass_stack and
 * pass_stack_limits call these functions. nvlink reports only the size. */
#include "link/resources/stack_notes.h"

#include "base/diagnostic.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resources/call_path.h"
#include "link/resources/limit_parts.h"
#include "link/resources/resources_state.h"

enum { MOST_CYCLES = 10 }; /* explaining a cycle visits the whole call graph */

/* --------------------------------------------------------------------------------------------- */
/* The deepest calls                                                                             */

static uint32_t frame_of(const struct function *function)
{
    return function->frame_size;
}

uint32_t deepest_callee(const struct callgraph *graph, const uint64_t *need, uint32_t node)
{
    uint32_t deepest = node;
    uint64_t most = 0;
    for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
        uint32_t callee = graph->callees.targets[i];
        if (need[graph->component[callee]] > most) {
            most = need[graph->component[callee]];
            deepest = callee;
        }
    }
    return deepest;
}

/* Reports the calls that need the most stack. Must be called only if the need of the kernel is
 * known: then no cycle is reachable, so the walk ends. */
static void explain_depth(link_context *link, const uint64_t *need, const struct function *kernel)
{
    const struct callgraph *graph = &link->callgraph;
    struct call_path path = {.steps = NULL};
    call_path_append(link, &path, kernel, false);
    uint32_t node = kernel->index, next;
    while ((next = deepest_callee(graph, need, node)) != node) {
        if (next < graph->function_count)
            call_path_append(link, &path, link->functions[next], node >= graph->function_count);
        node = next;
    }
    call_path_report(link, &path, frame_of, "bytes of stack");
}

/* --------------------------------------------------------------------------------------------- */
/* Recursion                                                                                     */

/* Returns the recursive function that is nearest to the kernel; NULL if there is none. */
static const struct function *nearest_in_cycle(const struct call_search *calls)
{
    const struct callgraph *graph = &calls->link->callgraph;
    for (uint32_t i = 0; i < calls->queue_size; i++) {
        uint32_t node = calls->queue[i];
        if (node < graph->function_count && graph->cyclic[graph->component[node]])
            return calls->link->functions[node];
    }
    return NULL;
}

/* Returns a shortest cycle of calls through the function. The search visits the functions that it
 * reaches, the nearest first. The first of them that calls the function closes the cycle. */
static struct call_path cycle_of(link_context *link, const struct function *function)
{
    const struct callgraph *graph = &link->callgraph;
    struct call_search calls;
    call_search_from(&calls, link, function);
    for (uint32_t i = 0; i < calls.queue_size; i++) {
        uint32_t node = calls.queue[i];
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++) {
            if (graph->callees.targets[e] != function->index)
                continue;
            struct call_path path = call_search_path(&calls, node);
            call_path_append(link, &path, function, node >= graph->function_count);
            return path;
        }
    }
    return (struct call_path){.steps = NULL};
}

/* Reports nothing if the kernel reaches no cycle of calls. Its stack is then unknown because the
 * size does not fit in a record, or because an object marks a kernel as recursive. */
void stack_explain_cycle(link_context *link, const struct function *kernel)
{
    if (link->resources->cycles_explained++ >= MOST_CYCLES)
        return;
    struct call_search calls;
    call_search_from(&calls, link, kernel);
    const struct function *first = nearest_in_cycle(&calls);
    if (!first)
        return;
    struct call_path cycle = cycle_of(link, first);
    struct call_path reached = call_search_path(&calls, first->index);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_CYCLE, first->symbol->object->name,
                      symbol_name(first->symbol), call_path_text(link, &cycle));
    if (reached.steps_count > 1)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_CYCLE_REACHED, NULL, NULL,
                          call_path_text(link, &reached));
    if (link->resources->cycles_explained == 1) /* the remedy is the same for all kernels */
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_LAUNCH, NULL, NULL);
}

void stack_explain_limit(link_context *link, const uint64_t *need, const struct function *kernel)
{
    if (!limit_may_be_explained(link))
        return;
    if (need[link->callgraph.component[kernel->index]] == STACK_UNKNOWN)
        stack_explain_cycle(link, kernel);
    else
        explain_depth(link, need, kernel);
}
