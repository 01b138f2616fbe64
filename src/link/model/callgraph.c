/* Makes the adjacency arrays of the call graph; see callgraph.h. */
#include "link/model/callgraph.h"

#include "link/model/link_context.h"

void edge_list_add(link_context *link, struct edge_list *edges, uint32_t from, uint32_t to)
{
    *ARENA_APPEND(&link->arena, edges, from) = from;
    *ARENA_APPEND(&link->arena, edges, to) = to;
}

/* Sorts by counting, so the time is linear in the number of nodes and edges. */
void adjacency_make(link_context *link, struct adjacency *adjacency, uint32_t node_count,
                    const uint32_t *from, const uint32_t *to, size_t count)
{
    adjacency->start = ARENA_ARRAY(&link->arena, uint32_t, node_count + 2);
    adjacency->targets = ARENA_ARRAY(&link->arena, uint32_t, count);
    /* The loops use next[] in turn for three things: first next[n + 1] counts the targets of node
     * n, then next[n] is the index of the first target of n, and at the end it is the index after
     * the last one. That index is start[n + 1], because next is start + 1. */
    uint32_t *next = adjacency->start + 1;
    for (size_t i = 0; i < count; i++)
        next[from[i] + 1]++;
    for (uint32_t node = 0; node < node_count; node++)
        next[node + 1] += next[node];
    for (size_t i = 0; i < count; i++)
        adjacency->targets[next[from[i]]++] = to[i];
}
