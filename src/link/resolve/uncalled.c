/* Warns about functions whose address is taken although nothing can call them.
 *
 * Requires: COLLECTED (which functions are kept), STACKED (its warnings come first).
 * Makes: CALLS_CHECKED, warnings.
 * Frozen after: nothing more.
 *
 * The pass works only with -extrawarn, and not with -g or --preserve-relocs. A function counts as
 * called in two cases: a reached function calls it directly, or makes an indirect call of its
 * prototype. The pass does not warn about kernels. All of this was observed with nvlink 13.0.88,
 * with chains and cycles of functions whose addresses are taken. */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "warpld.h"

static bool is_reached(const link_context *link, uint32_t node)
{
    return link->functions[node]->reached;
}

/* Returns an array by node. For the node of a prototype, the element is true if some reached
 * function makes an indirect call of this prototype. */
static bool *called_prototypes(link_context *link)
{
    const struct callgraph *graph = &link->callgraph;
    const struct adjacency *callers = &graph->callers;
    bool *called = ARENA_ARRAY(&link->arena, bool, graph->node_count);
    for (uint32_t node = graph->function_count; node < graph->node_count; node++)
        for (uint32_t i = callers->start[node]; i < callers->start[node + 1]; i++)
            called[node] |= is_reached(link, callers->targets[i]);
    return called;
}

static bool is_called(const link_context *link, const bool *called_prototype, uint32_t function)
{
    const struct callgraph *graph = &link->callgraph;
    for (uint32_t i = graph->callers.start[function]; i < graph->callers.start[function + 1]; i++) {
        uint32_t caller = graph->callers.targets[i];
        if (caller < graph->function_count ? is_reached(link, caller) : called_prototype[caller])
            return true;
    }
    return false;
}

void pass_uncalled(link_context *link)
{
    const struct warpld_options *options = &link->options;
    if (!options->extra_warnings || options->debug || options->preserve_relocations)
        return;
    const bool *called_prototype = called_prototypes(link);
    for (uint32_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        const struct symbol *symbol = function->symbol;
        const char *name = symbol_name(symbol);
        bool is_kernel = function->kernel || (function->entry && !symbol->defined);
        if (function->kept && !is_kernel && function->address_taken &&
            !is_called(link, called_prototype, i))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNCALLED, symbol->object->name, name,
                              name);
    }
}
