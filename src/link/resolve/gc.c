/* Removes the functions that nothing can call.
 *
 * Requires: GRAPHED (the call graph), ALIASED (the function whose code a kept alias has).
 * Makes: COLLECTED, the functions that are reached and those that are kept, the order of the graph.
 * Frozen after: KEPT.
 *
 * The pass runs before merge, so that a removed function leaves no symbol, no string and no
 * section; variables are never removed.
 *
 * It keeps kernels, the functions that they reach, and every function whose address any code takes.
 * A function that is kept only for its address does not keep its callees, except undefined ones
 * (observed with nvlink 13.0.88). */
#include "base/arena.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resolve/callgraph_build.h"
#include "link/resolve/host_references.h"
#include "link/resolve/name_patterns.h"
#include "link/resolve/removed_kernels.h"
#include "link/resolve/resolve_state.h"
#include "warpld.h"

/* The kernels that are named, that is, used by the program:
 *
 *   - With -kernels-used: the kernels that this option names.
 *   - With options that name only variables: no kernel (observed).
 *   - Without such options, if all references of host code are known: the kernels that host code
 *     refers to.
 *   - Otherwise: all kernels. */
struct names {
    bool is_by_option;
    struct name_patterns of_option;
    struct host_references *of_host; /* NULL if the references of host code are not used */
};

static struct names read_names_of_kernels(link_context *link)
{
    const struct warpld_options *options = &link->options;
    struct names names = {.of_host = NULL};
    if (options->relocatable)
        return names;
    names.is_by_option = options->kernels_used_count || options->variables_used_count;
    names.of_host = host_references_collect(link);
    name_patterns_init(&names.of_option, &link->arena);
    for (size_t i = 0; i < options->kernels_used_count; i++)
        name_patterns_add_part(&names.of_option, options->kernels_used[i]);
    return names;
}

static bool kernel_is_named(struct names *names, const struct function *function)
{
    if (names->is_by_option)
        return name_patterns_have(&names->of_option, symbol_name(function->symbol));
    return !names->of_host || host_references_have(names->of_host, function->symbol);
}

static bool is_entry(const struct function *function)
{
    return function->entry && function->symbol->defined;
}

/* Two facts about each function, by function index: whether it is a named kernel, and whether it is
 * a root. The search for reached functions starts at the roots. */
struct roots {
    bool *named;
    bool *root;
};

/* Finds the functions with which the search for reached functions starts. Named kernels are roots.
 * These functions are roots, too:
 *
 *   - A kernel whose address is taken, unless exactly one kernel is named (observed in 1,180 links
 *     of up to 5 kernels with -kernels-used, and with host references). If it is no root, it is
 *     kept as a device function, whichever code takes the address.
 *   - A stub of a unified function, unless exactly one kernel is named. With -g: unless exactly one
 *     kernel is kept.
 *   - A function that the program defines and that has the name of a system function, unless
 *     exactly one kernel is kept. Undefined kernels count as kept here (observed in some hundred
 *     links). */
static void find_roots(link_context *link, struct names *names, struct roots *roots)
{
    size_t named = 0, kept = 0;
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        function->is_system &= !function->entry && function->symbol->defined;
        bool is_wanted = function->entry && kernel_is_named(names, function);
        roots->named[i] = roots->root[i] = is_wanted && function->symbol->defined;
        named += roots->root[i];
        kept += is_wanted || (function->entry && link_is_for_debugger(link));
    }
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool is_called = is_entry(function) && function->address_taken;
        size_t counted = link_is_for_debugger(link) ? kept : named;
        roots->root[i] |= (is_called && named != 1) || (function->is_stub && counted != 1) ||
                          (function->is_system && kept != 1);
    }
}

/* The nodes of the call graph found so far, and the queue of those whose callees must still be
 * visited. Each node is in the queue only once. */
struct reach {
    bool *reached;
    uint32_t *queue;
    uint32_t size;
};

static void reach_node(struct reach *reach, uint32_t node)
{
    if (!reach->reached[node])
        reach->queue[reach->size++] = node;
    reach->reached[node] = true;
}

static void follow_reached(const link_context *link, struct reach *reach)
{
    const struct adjacency *callees = &link->callgraph.callees;
    while (reach->size) {
        uint32_t node = reach->queue[--reach->size];
        for (uint32_t i = callees->start[node]; i < callees->start[node + 1]; i++)
            reach_node(reach, callees->targets[i]);
    }
}

static void reach_from_roots(const link_context *link, struct reach *reach, const bool *root)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (root[i])
            reach_node(reach, (uint32_t)i);
    follow_reached(link, reach);
}

static bool has_stubs(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->is_stub)
            return true;
    return false;
}

/* Keeps the callees of stubs, because other programs call unified functions through the table.
 * nvlink 13.0.88 removes these callees from a program with one kernel that does not reach them
 * (docs/quirks/unified.md). */
static void keep_callees_of_stubs(link_context *link)
{
    if (!has_stubs(link))
        return;
    size_t count = link->callgraph.node_count;
    struct reach reach = {ARENA_ARRAY(&link->arena, bool, count),
                          ARENA_ARRAY(&link->arena, uint32_t, count), 0};
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->is_stub)
            reach_node(&reach, (uint32_t)i);
    follow_reached(link, &reach);
    for (size_t i = 0; i < link->functions_count; i++)
        link->functions[i]->kept |= reach.reached[i];
}

/* Decides whether a function is kept, and whether as a kernel. With --preserve-relocs all functions
 * are kept, but kernels that are not named are kept only as device functions (observed with
 * -kernels-used and host references, sm_80 and sm_90). */
static void decide(link_context *link, struct function *function, bool reached, bool root,
                   bool named)
{
    bool everything = link_is_for_debugger(link) || link->options.relocatable;
    function->reached = reached;
    function->kept = reached || function->address_taken || link->options.debug ||
                     link->options.preserve_relocations || everything;
    function->unnamed = root && !everything && !named;
    function->kernel = root || (everything && is_entry(function));
    if (function->kernel && !function->unnamed && !function->is_system)
        link->resolve->live_entry_count++;
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

/* Keeps named kernels that are undefined. nvlink includes them in the number of kernels that -v
 * reports (observed in 36 links). A reference of any kind is enough to keep and count such a
 * kernel, even one that is not in the call graph, such as a relocation for one byte of the address
 * (observed in 60 links of .u8 with 0xff(kernel)). */
static void keep_missing_kernels(link_context *link, struct names *names)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        if (!function->entry || function->symbol->defined || !kernel_is_named(names, function))
            continue;
        function->kept = true;
        link->resolve->live_entry_count++;
    }
}

/* Keeps the function whose code a kept alias shares. The call graph has an edge from the alias to
 * the function only if both are from one object. If they are from two objects, nvlink 13.0.88
 * writes an empty function (docs/quirks/definitions.md). */
static void keep_code_of_aliases(link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *alias = link->functions[i];
        if (alias->kept && alias->alias_of)
            alias->alias_of->kept = true;
    }
}

void pass_gc(link_context *link)
{
    size_t count = link->callgraph.node_count;
    struct reach reach = {ARENA_ARRAY(&link->arena, bool, count),
                          ARENA_ARRAY(&link->arena, uint32_t, count), 0};
    struct roots roots = {ARENA_ARRAY(&link->arena, bool, count),
                          ARENA_ARRAY(&link->arena, bool, count)};
    struct names names = read_names_of_kernels(link);
    link->resolve->has_host_references = names.of_host;
    find_roots(link, &names, &roots);
    reach_from_roots(link, &reach, roots.root);
    for (size_t i = 0; i < link->functions_count; i++)
        decide(link, link->functions[i], reach.reached[i], roots.root[i], roots.named[i]);
    keep_missing_kernels(link, &names);
    keep_callees_of_stubs(link);
    keep_code_of_aliases(link);
    keep_undefined_callees(link);
    removed_kernels_report(link, names.of_host);
    callgraph_order(link);
}
