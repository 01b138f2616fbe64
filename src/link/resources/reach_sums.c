/* Sums over all functions that a kernel reaches; see reach_sums.h. Part of properties.
 *
 * In general such a sum needs the set of what is reached. Here that is so only where a way forks:
 * - What one part of the graph alone leads to belongs to that part, as to a kernel what no other
 *   kernel reaches: both are reached by the same.
 * - Where all that a part calls is reached through one of the parts that it calls, as along a chain
 *   and in whatever all of a chain calls, its sum is its own weight and the sum of that one.
 * - The others are forks, and what they reach is walked through for 64 of them at a time.
 *
 * Components are numbered callees first, so that numbers are an order in which to go through. */
#include "link/resources/reach_sums.h"

#include <stdlib.h>

#include "base/arena.h"
#include "link/model/callgraph.h"

enum { NOTHING = 0, WALK_FORKS = 64 };
#define SEVERAL UINT32_MAX

/* A component, and those that belong to it. */
struct part {
    uint64_t weight;
    uint64_t along; /* what the way up to the next fork weighs */
    uint64_t forks; /* bits: those of the walk that reach it */
    uint32_t head;  /* the part that it belongs to, mostly itself; or one of those above */
    uint32_t next;  /* of the parts that it calls the one that none of the others reaches */
    uint32_t fork;  /* the first on the way through next; NOTHING: there is none */
    uint32_t place; /* in the tree whose branches go through next */
    uint32_t size;  /* of its branch of this tree */
    uint32_t free;  /* first free place there */
    uint32_t call;  /* next to be walked along */
    bool is_entered : 1;
    bool has_kernel : 1;
    bool leads : 1; /* to a weight */
    bool is_fork : 1;
    bool is_wanted : 1;
};

struct reach {
    link_context *link;
    const struct callgraph *graph;
    struct part *parts; /* by component */
    uint32_t count;     /* of components, and one more */
    struct adjacency calls;
    uint32_t *path;  /* parts that are being walked through */
    uint32_t *found; /* and those that have been, callees first */
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

/* All that call it have told it by now. */
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

/* Calls from one part to another that matter; of those that belong to a part only that part itself
 * is called from outside. */
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
/* Ways                                                                                          */

/* Of the parts that one calls none reaches that of the highest number. */
static void find_next(struct reach *reach)
{
    const struct adjacency *calls = &reach->calls;
    for (uint32_t c = 0; c < reach->count; c++)
        for (uint32_t e = calls->start[c]; e < calls->start[c + 1]; e++)
            if (calls->targets[e] > reach->parts[c].next)
                reach->parts[c].next = calls->targets[e];
}

/* A part's branch of the tree has the places from its own on. Part 0 is the root. */
static void place_in_tree(struct reach *reach)
{
    struct part *parts = reach->parts;
    for (uint32_t c = reach->count; c-- > 1;)
        parts[parts[c].next].size += ++parts[c].size;
    for (uint32_t c = 1; c < reach->count; c++) {
        parts[c].place = parts[parts[c].next].free;
        parts[parts[c].next].free += parts[c].size;
        parts[c].free = parts[c].place + 1;
    }
}

static bool forks(const struct reach *reach, uint32_t component)
{
    const struct adjacency *calls = &reach->calls;
    const struct part *next = &reach->parts[reach->parts[component].next];
    for (uint32_t e = calls->start[component]; e < calls->start[component + 1]; e++) {
        const struct part *callee = &reach->parts[calls->targets[e]];
        bool is_behind_next = next->place - callee->place < callee->size;
        if (!is_behind_next)
            return true;
    }
    return false;
}

static void follow_ways(struct reach *reach)
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

/* Finds what the part reaches and has not been found yet, callees first. */
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

/* Adds what the part weighs to the forks that reach it; part of a walk, callers first. */
static void give(struct reach *reach, uint32_t component, uint64_t all, uint64_t sums[WALK_FORKS],
                 uint64_t *common)
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
        give(reach, reach->found[--reach->found_count], all, sums, &common);
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

uint64_t *reach_sums(link_context *link, const uint64_t *weights)
{
    const struct callgraph *graph = &link->callgraph;
    struct reach reach = {.link = link, .graph = graph, .count = graph->component_count + 1};
    reach.parts = ARENA_ARRAY(&link->arena, struct part, reach.count);
    add_weights(&reach, weights);
    join_parts(&reach);
    collect_calls(&reach);
    find_next(&reach);
    place_in_tree(&reach);
    follow_ways(&reach);
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
