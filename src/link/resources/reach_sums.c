/* Computes for each kernel the sum of the weights of all functions that it reaches; see
 * reach_sums.h. Part of pass_properties.
 *
 * A component is a strongly connected component of the call graph. A sum must count each component
 * only once, even if several calls lead to it. In general, this requires the set of all components
 * that a kernel reaches. The following steps avoid such sets for most components:
 *
 * - Components are joined to parts. If all callers of a component are in the same part, the
 *   component joins this part. Each other component, and each component with a kernel, begins a
 *   part.
 * - If a part has a callee that reaches all its other callees, this callee is the next part on the
 *   part's path. The sum of the part is its own weight plus the sum of the next part.
 * - A path ends at a part without callees, or at a fork: a part that has callees, none of which
 *   reaches all the others. A walk through the call graph finds the parts that a fork reaches. Each
 *   walk handles 64 forks.
 *
 * Components are numbered callees first, so a loop with ascending numbers visits callees before
 * callers. */
#include "link/resources/reach_sums.h"

#include <stdlib.h>

#include "base/arena.h"
#include "link/model/callgraph.h"

enum { NOTHING = 0, WALK_FORKS = 64 };
#define SEVERAL UINT32_MAX

/* A component, or the part that begins with this component. */
struct part {
    uint64_t weight; /* of the component; after join_parts, of the whole part */
    uint64_t along;  /* for a fork: its sum; for other parts: the sum of the weights on the path, up
                        to but not including the first fork */
    uint64_t forks;  /* a bit for each fork of the current walk that reaches the part */
    uint32_t head;   /* number of the component that begins the component's part; NOTHING: not yet
                        known; SEVERAL: the callers are in several parts */
    uint32_t next; /* next part on the path: the callee that no other callee of the part reaches */
    uint32_t fork; /* first fork on the path; a part that is a fork is its own first fork; NOTHING:
                      no fork */
    uint32_t position; /* in the tree of parts, in which a part's `next` is its parent */
    uint32_t size;     /* number of parts in the part's subtree */
    uint32_t free;     /* first position in the part's subtree that is not yet assigned */
    uint32_t call;     /* in a walk: index in `calls` of the next call to follow */
    bool is_entered : 1;
    bool has_kernel : 1;
    bool leads : 1; /* the component reaches a function whose weight is not 0 */
    bool is_fork : 1;
    bool is_wanted : 1;
};

struct reach {
    link_context *link;
    const struct callgraph *graph;
    struct part *parts; /* by component */
    uint32_t count;     /* 1 + the number of components, which are numbered from 1 */
    struct adjacency calls;
    uint32_t *path;  /* stack of the walk */
    uint32_t *found; /* parts that the walk has left, callees before callers */
    uint32_t found_count;
};

static struct part *part_of_reach(const struct reach *reach, uint32_t node)
{
    return &reach->parts[reach->graph->component[node]];
}

static void add_weights(struct reach *reach, const uint64_t *weights)
{
    const struct callgraph *graph = reach->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t node = graph->order[i];
        struct part *part = part_of_reach(reach, node);
        if (node < graph->function_count) {
            part->weight += weights[node];
            part->leads |= weights[node] != 0;
            part->has_kernel |= reach->link->functions[node]->kernel;
        }
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++)
            part->leads |= part_of_reach(reach, graph->callees.targets[e])->leads;
    }
}

/* Decides which part a component belongs to, after all its callers have been visited. A component
 * begins a part if it has a kernel, has no callers, or has callers in several parts. Otherwise it
 * joins the part of its callers. */
static void settle_component(struct reach *reach, uint32_t component)
{
    struct part *part = &reach->parts[component];
    if (part->has_kernel || part->head == NOTHING || part->head == SEVERAL)
        part->head = component;
    else
        reach->parts[part->head].weight += part->weight;
}

static void join_parts(struct reach *reach)
{
    const struct callgraph *graph = reach->graph;
    uint32_t settled = NOTHING;
    for (uint32_t i = graph->order_count; i-- > 0;) {
        uint32_t node = graph->order[i], component = graph->component[node];
        if (component != settled)
            settle_component(reach, component);
        settled = component;
        uint32_t head = reach->parts[component].head;
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++) {
            struct part *callee = part_of_reach(reach, graph->callees.targets[e]);
            if (callee != &reach->parts[component])
                callee->head = !callee->head || callee->head == head ? head : SEVERAL;
        }
    }
}

/* Collects the calls between parts. Leaves out calls to parts that reach no function with a weight
 * other than 0. Each call between parts ends at the component that begins a part, because the other
 * components of a part are called only from within the part. */
static void collect_calls(struct reach *reach)
{
    link_context *link = reach->link;
    const struct callgraph *graph = reach->graph;
    struct edge_list edges = {.from = NULL};
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t node = graph->order[i], head = part_of_reach(reach, node)->head;
        for (uint32_t e = graph->callees.start[node]; e < graph->callees.start[node + 1]; e++) {
            uint32_t callee = graph->component[graph->callees.targets[e]];
            const struct part *part = &reach->parts[callee];
            if (part->leads && part->head == callee && callee != head)
                edge_list_add(link, &edges, head, callee);
        }
    }
    adjacency_make(link, &reach->calls, reach->count, edges.from, edges.to, edges.from_count);
}

/* --------------------------------------------------------------------------------------------- */
/* Paths                                                                                         */

/* Sets the `next` of each part: the callee with the highest number. Because components are numbered
 * callees first, no other callee of the part can reach this callee. */
static void find_next(struct reach *reach)
{
    const struct adjacency *calls = &reach->calls;
    for (uint32_t c = 0; c < reach->count; c++)
        for (uint32_t e = calls->start[c]; e < calls->start[c + 1]; e++)
            if (calls->targets[e] > reach->parts[c].next)
                reach->parts[c].next = calls->targets[e];
}

/* Assigns positions in the tree in which `next` is the parent of a part. The positions of a subtree
 * are consecutive, and begin with the position of its root. The root of the whole tree is part 0,
 * which is not a component. */
static void number_tree(struct reach *reach)
{
    struct part *parts = reach->parts;
    for (uint32_t c = reach->count; c-- > 1;)
        parts[parts[c].next].size += ++parts[c].size;
    for (uint32_t c = 1; c < reach->count; c++) {
        parts[c].position = parts[parts[c].next].free;
        parts[parts[c].next].free += parts[c].size;
        parts[c].free = parts[c].position + 1;
    }
}

static bool forks(const struct reach *reach, uint32_t component)
{
    const struct adjacency *calls = &reach->calls;
    const struct part *next = &reach->parts[reach->parts[component].next];
    for (uint32_t e = calls->start[component]; e < calls->start[component + 1]; e++) {
        const struct part *callee = &reach->parts[calls->targets[e]];
        bool is_below_next = next->position - callee->position < callee->size;
        if (!is_below_next)
            return true;
    }
    return false;
}

static void follow_paths(struct reach *reach)
{
    for (uint32_t c = 1; c < reach->count; c++) {
        struct part *part = &reach->parts[c];
        const struct part *next = &reach->parts[part->next];
        part->is_fork = forks(reach, c);
        part->fork = part->is_fork ? c : next->fork;
        part->along = part->is_fork ? 0 : part->weight + next->along;
    }
    for (uint32_t c = 1; c < reach->count; c++)
        if (reach->parts[c].has_kernel)
            reach->parts[reach->parts[c].fork].is_wanted = true;
}

/* --------------------------------------------------------------------------------------------- */
/* Forks                                                                                         */

static void enter(struct reach *reach, uint32_t component, uint32_t *size)
{
    struct part *part = &reach->parts[component];
    if (part->is_entered)
        return;
    part->is_entered = true;
    part->call = reach->calls.start[component];
    reach->path[(*size)++] = component;
}

/* Appends to `found` the parts that `first` reaches and that were not found before, callees before
 * callers. */
static void walk(struct reach *reach, uint32_t first)
{
    const struct adjacency *calls = &reach->calls;
    uint32_t size = 0;
    enter(reach, first, &size);
    while (size) {
        uint32_t component = reach->path[size - 1];
        struct part *part = &reach->parts[component];
        if (part->call < calls->start[component + 1])
            enter(reach, calls->targets[part->call++], &size);
        else
            reach->found[reach->found_count++] = reach->path[--size];
    }
}

/* Adds a part's weight to the sum of each fork that reaches the part. If all forks of the walk
 * reach the part, adds the weight to `common` instead. Then passes the set of forks to the callees.
 * The caller visits parts callers before callees, so the set of forks of this part is complete. */
static void add_to_forks(struct reach *reach, uint32_t component, uint64_t all,
                         uint64_t sums[WALK_FORKS], uint64_t *common)
{
    const struct adjacency *calls = &reach->calls;
    struct part *part = &reach->parts[component];
    if (part->forks == all)
        *common += part->weight;
    else
        for (uint64_t rest = part->forks; rest; rest &= rest - 1)
            sums[__builtin_ctzll(rest)] += part->weight;
    for (uint32_t e = calls->start[component]; e < calls->start[component + 1]; e++)
        reach->parts[calls->targets[e]].forks |= part->forks;
    part->forks = 0;
    part->is_entered = false;
}

static void sum_forks(struct reach *reach, const uint32_t *forks, uint32_t count)
{
    uint64_t sums[WALK_FORKS] = {0}, common = 0;
    uint64_t all = UINT64_MAX >> (WALK_FORKS - count);
    reach->found_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        reach->parts[forks[i]].forks = UINT64_C(1) << i;
        walk(reach, forks[i]);
    }
    while (reach->found_count)
        add_to_forks(reach, reach->found[--reach->found_count], all, sums, &common);
    for (uint32_t i = 0; i < count; i++)
        reach->parts[forks[i]].along = sums[i] + common;
}

static void sum_all_forks(struct reach *reach)
{
    link_context *link = reach->link;
    uint32_t forks[WALK_FORKS], count = 0;
    reach->path = ARENA_ARRAY(&link->arena, uint32_t, reach->count);
    reach->found = ARENA_ARRAY(&link->arena, uint32_t, reach->count);
    for (uint32_t c = 1; c < reach->count; c++) {
        if (reach->parts[c].is_fork && reach->parts[c].is_wanted)
            forks[count++] = c;
        if (count == WALK_FORKS || (count && c + 1 == reach->count)) {
            sum_forks(reach, forks, count);
            count = 0;
        }
    }
}

/* Joins components to parts, follows the path of each part up to a fork, and computes the sums of
 * the forks by walks. */
uint64_t *reach_sums(link_context *link, const uint64_t *weights)
{
    const struct callgraph *graph = &link->callgraph;
    struct reach reach = {.link = link, .graph = graph, .count = graph->component_count + 1};
    reach.parts = ARENA_ARRAY(&link->arena, struct part, reach.count);
    add_weights(&reach, weights);
    join_parts(&reach);
    collect_calls(&reach);
    find_next(&reach);
    number_tree(&reach);
    follow_paths(&reach);
    sum_all_forks(&reach);
    uint64_t *sums = ARENA_ARRAY(&link->arena, uint64_t, reach.count);
    for (uint32_t c = 1; c < reach.count; c++) {
        const struct part *part = &reach.parts[c];
        sums[c] = part->along;
        if (part->fork && !part->is_fork)
            sums[c] += reach.parts[part->fork].along;
    }
    return sums;
}
