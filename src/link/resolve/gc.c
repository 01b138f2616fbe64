/* Removes the functions that nothing can call.
 *
 * Requires: the call graph. Makes: reached, kept; the order of the graph. Frozen after: which
 * functions stay. Decided before anything is merged, so that a removed function leaves no symbol,
 * no string and no section; variables are never removed.
 *
 * Kept are: kernels, what they reach, and every function whose address is taken, whoever took it.
 * The last are not followed: their callees stay only when something else reaches them, but callees
 * without a definition always stay (observed with nvlink 13.0.88). */
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

/* Which kernels count as used: all, those that the options name, or those that host code names.
 * Naming variables alone leaves no kernel (observed). */
struct names {
    bool is_by_option;
    struct name_patterns of_option;
    struct host_references *of_host; /* or NULL */
};

static struct names read_names(link_context *link)
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

static bool is_named(struct names *names, const struct function *function)
{
    if (names->is_by_option)
        return name_patterns_have(&names->of_option, symbol_name(function->symbol));
    return !names->of_host || host_references_have(names->of_host, function->symbol);
}

static bool is_entry(const struct function *function)
{
    return function->entry && function->symbol->defined;
}

/* By function index: the kernels that are named, and those that the walk starts from. */
struct roots {
    bool *named;
    bool *root;
};

/* Kernels whose address is taken are roots too, unless exactly one kernel is named: beside that one
 * they are mere functions, whoever takes the address (observed with -kernels-used in 1,180
 * links of up to 5 kernels, and with host references). So are slots of unified functions, but with
 * -g all kernels that stay count, and a program's own functions of names that the driver has,
 * unless exactly one kernel stays, or is missing (observed in some hundred links). */
static void find_roots(link_context *link, struct names *names, struct roots *roots)
{
    size_t named = 0, staying = 0;
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        function->is_system &= !function->entry && function->symbol->defined;
        bool is_wanted = function->entry && is_named(names, function);
        roots->named[i] = roots->root[i] = is_wanted && function->symbol->defined;
        named += roots->root[i];
        staying += is_wanted || (function->entry && link_is_for_debugger(link));
    }
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool is_called = is_entry(function) && function->address_taken;
        size_t beside_stubs = link_is_for_debugger(link) ? staying : named;
        roots->root[i] |= (is_called && named != 1) || (function->is_stub && beside_stubs != 1) ||
                          (function->is_system && staying != 1);
    }
}

/* The functions found so far, each once. */
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

static void follow(const link_context *link, struct reach *reach)
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
    follow(link, reach);
}

static bool has_stubs(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->is_stub)
            return true;
    return false;
}

/* Other programs call unified functions through the table, so what those call stays. nvlink 13.0.88
 * removes it from a program with one kernel that does not reach it (docs/quirks/unified.md). */
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
    follow(link, &reach);
    for (size_t i = 0; i < link->functions_count; i++)
        link->functions[i]->kept |= reach.reached[i];
}

/* With --preserve-relocs all functions stay, but kernels that nothing names only as functions
 * (observed with -kernels-used and host references, sm_80 and sm_90). */
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

/* A named kernel that nothing defines counts all the same, which the report of -v shows (observed
 * in 36 links), and stays whatever refers to it: with parts of its address, which are not in the
 * call graph, it is an undefined reference, too (observed in 60 links of .u8 with 0xff(kernel)). */
static void keep_missing_kernels(link_context *link, struct names *names)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        if (!function->entry || function->symbol->defined || !is_named(names, function))
            continue;
        function->kept = true;
        link->resolve->live_entry_count++;
    }
}

/* A name that stays needs the function behind it; where both came with one object the call graph
 * says so. nvlink 13.0.88 leaves an empty function (docs/quirks/definitions.md). */
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
    struct names names = read_names(link);
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
