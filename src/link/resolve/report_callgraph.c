/* Hands the call graph to the caller that asked for it.
 *
 * Requires: the call graph, registers that merge read. Mutates nothing. The caller gets the arrays
 * of the link itself: a list of all pairs of callers and callees would grow with the square of the
 * functions that are called through pointers. */
#include "base/arena.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "warpld.h"

static struct warpld_graph_function describe(const struct function *function)
{
    return (struct warpld_graph_function){
        .name = symbol_name(function->symbol),
        .is_removed = !function->kept,
        .is_entry = function->kernel || (function->entry && !function->symbol->defined),
        .is_address_taken = function->address_taken,
        .has_register_count = function->has_register_count,
        .register_count = function->register_count,
    };
}

void pass_report_callgraph(link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    const struct warpld_options *options = &link->options;
    if (!options->call_graph)
        return;
    struct warpld_graph_function *functions =
        ARENA_ARRAY(&link->arena, struct warpld_graph_function, graph->function_count);
    for (uint32_t i = 0; i < graph->function_count; i++)
        functions[i] = describe(link->functions[i]);
    struct warpld_call_graph public = {
        .size = sizeof public,
        .architecture = options->architecture,
        .objects_count = link->objects_count,
        .functions = functions,
        .functions_count = graph->function_count,
        .nodes_count = graph->node_count,
        .callees_start = graph->callees.start,
        .callees = graph->callees.targets,
    };
    options->call_graph(options->call_graph_context, &public);
}
