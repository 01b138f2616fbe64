/* Removes the functions that nothing can call.
 *
 * Requires: the call graph. Makes: reached, kept; the order of the graph. Frozen after: which
 * functions stay. Decided before anything is merged, so that a removed function leaves no symbol,
 * no string and no section; variables are never removed.
 *
 * Kept are: kernels, what they reach, and every function whose address is taken, whoever took it.
 * The last are not followed: their callees stay only when something else reaches them, but callees
 * without a definition always stay (observed with nvlink 13.0.88). */
#include <assert.h>
#include <string.h>

#include "link/link.h"

static bool is_root(const link_context *link, const struct function *function)
{
    if (!function->entry || !function->symbol->defined)
        return false;
    const struct warpld_options *options = &link->options;
    for (size_t i = 0; i < options->kernels_used_count; i++)
        if (strstr(function->symbol->name->name.text, options->kernels_used[i]))
            return true;
    return options->kernels_used_count == 0;
}

/* The functions found so far, each once. */
struct reach {
    bool *reached;
    bool *launched; /* kernels */
    uint32_t *queue;
    uint32_t size;
};

static void reach_node(struct reach *reach, uint32_t node)
{
    if (!reach->reached[node])
        reach->queue[reach->size++] = node;
    reach->reached[node] = true;
}

static void follow(struct reach *reach, const struct adjacency *edges, uint32_t node, bool launch)
{
    if (!edges->start)
        return;
    for (uint32_t i = edges->start[node]; i < edges->start[node + 1]; i++) {
        reach_node(reach, edges->targets[i]);
        if (launch)
            reach->launched[edges->targets[i]] = true;
    }
}

static void reach_from_roots(link_context *link, struct reach *reach)
{
    const struct callgraph *graph = &link->callgraph;
    for (size_t i = 0; i < link->functions_count; i++)
        if (is_root(link, link->functions[i]))
            reach_node(reach, (uint32_t)i);
    while (reach->size) {
        uint32_t node = reach->queue[--reach->size];
        follow(reach, &graph->callees, node, false);
        follow(reach, &graph->launches, node, true);
    }
}

/* An entry is kept as a kernel as a root or when a kept function launches it; one of which device
 * code only takes the address stays as a mere function (observed with -kernels-used). */
static void decide(link_context *link, struct function *function, bool reached, bool launched)
{
    bool everything = link->options.debug;
    function->reached = reached;
    function->kept = reached || function->address_taken || everything;
    function->kernel = is_root(link, function) || launched ||
                       (everything && function->entry && function->symbol->defined);
    if (function->kernel)
        link->live_entry_count++;
}

static void keep_undefined_callees(link_context *link)
{
    const struct call_group *calls = &link->callgraph.groups[GROUP_CALLS];
    for (size_t i = 0; i < calls->pairs_count; i++) {
        struct function *callee = calls->pairs[i].second;
        if (calls->pairs[i].first->kept && !callee->symbol->defined)
            callee->kept = true;
    }
}

void gc(link_context *link)
{
    assert(link->stage == STAGE_RESOLVED);
    size_t count = link->callgraph.node_count;
    struct reach reach = {ARENA_ARRAY(ARENA, bool, count), ARENA_ARRAY(ARENA, bool, count),
                          ARENA_ARRAY(ARENA, uint32_t, count), 0};
    if (link->options.kernels_used_count)
        callgraph_find_launches(link);
    if (link->functions_count)
        reach_from_roots(link, &reach);
    for (size_t i = 0; i < link->functions_count; i++)
        decide(link, link->functions[i], reach.reached[i], reach.launched[i]);
    keep_undefined_callees(link);
    callgraph_order(link);
    link->stage = STAGE_COLLECTED;
}
