/* Searches in the call graph; see call_walk.h. */
#include "link/inspect/call_walk.h"

#include "base/arena.h"
#include "link/model/callgraph.h"

void call_walk_start(link_context *link, struct call_walk *walk)
{
    uint32_t nodes = link->callgraph.node_count;
    if (!walk->visited) {
        walk->visited = ARENA_ARRAY(&link->arena, uint32_t, nodes);
        walk->from = ARENA_ARRAY(&link->arena, uint32_t, nodes);
        walk->queue = ARENA_ARRAY(&link->arena, uint32_t, nodes);
    }
    walk->round++;
    walk->count = 0;
}

void call_walk_visit(struct call_walk *walk, uint32_t node, uint32_t from)
{
    if (walk->visited[node] == walk->round)
        return;
    walk->visited[node] = walk->round;
    walk->from[node] = from;
    walk->queue[walk->count++] = node;
}

void call_walk_expand(struct call_walk *walk, const struct adjacency *neighbours, uint32_t number)
{
    uint32_t node = walk->queue[number];
    for (uint32_t i = neighbours->start[node]; i < neighbours->start[node + 1]; i++)
        call_walk_visit(walk, neighbours->targets[i], node);
}

void call_walk_from(link_context *link, struct call_walk *walk, uint32_t node)
{
    call_walk_start(link, walk);
    call_walk_visit(walk, node, node);
    for (uint32_t next = 0; next < walk->count; next++)
        call_walk_expand(walk, &link->callgraph.callees, next);
}
