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

static void reach_from_roots(link_context *link, bool *reached)
{
    const struct callgraph *graph = &link->callgraph;
    uint32_t *queue = ARENA_ARRAY(ARENA, uint32_t, graph->node_count);
    uint32_t size = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        if (is_root(link, link->functions[i])) {
            reached[i] = true;
            queue[size++] = (uint32_t)i;
        }
    while (size) {
        uint32_t node = queue[--size];
        for (uint32_t i = graph->callees.start[node]; i < graph->callees.start[node + 1]; i++) {
            uint32_t callee = graph->callees.targets[i];
            if (!reached[callee]) {
                reached[callee] = true;
                queue[size++] = callee;
            }
        }
    }
}

/* A kernel is kept only as a root: being called or pointed to from device code does not launch
 * it. */
static void decide(link_context *link, struct function *function, bool reached)
{
    bool everything = link->options.debug;
    function->reached = reached;
    function->kept =
        reached || function->address_taken || (everything && function->symbol->defined);
    if (function->kept && function->entry)
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
    bool *reached = ARENA_ARRAY(ARENA, bool, link->callgraph.node_count);
    if (link->functions_count)
        reach_from_roots(link, reached);
    for (size_t i = 0; i < link->functions_count; i++)
        decide(link, link->functions[i], reached[i]);
    keep_undefined_callees(link);
    callgraph_order(link);
    link->stage = STAGE_COLLECTED;
}
