/* Passes the call graph to the caller's callback.
 *
 * Requires: MERGED (register counts as the inputs have them), PARAMETERS_CHECKED (its errors come
 * before the graph).
 * Makes: GRAPH_REPORTED; mutates nothing.
 * Frozen after: nothing more.
 *
 * The callback receives the link's own adjacency arrays, not a list of all pairs of callers and
 * callees. The length of such a list would grow with the square of the number of functions that are
 * called indirectly. */
#include "link/resolve/report_callgraph.h"

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

struct warpld_call_graph describe_callgraph(link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    struct warpld_graph_function *functions =
        ARENA_ARRAY(&link->arena, struct warpld_graph_function, graph->function_count);
    for (uint32_t i = 0; i < graph->function_count; i++)
        functions[i] = describe(link->functions[i]);
    return (struct warpld_call_graph){
        .size = sizeof(struct warpld_call_graph),
        .architecture = link->options.architecture,
        .objects_count = link->objects_count,
        .functions = functions,
        .functions_count = graph->function_count,
        .nodes_count = graph->node_count,
        .callees_start = graph->callees.start,
        .callees = graph->callees.targets,
    };
}

void pass_report_callgraph(link_context *link)
{
    const struct warpld_options *options = &link->options;
    if (!options->call_graph)
        return;
    struct warpld_call_graph graph = describe_callgraph(link);
    options->call_graph(options->call_graph_context, &graph);
}
