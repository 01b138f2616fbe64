/* Breadth-first searches in the call graph. A caller can make a search for each of thousands of
 * functions. So all searches with one struct call_walk use the same memory, and the time of each
 * depends only on the nodes that it visits. */
#ifndef WARPLD_LINK_INSPECT_CALL_WALK_H
#define WARPLD_LINK_INSPECT_CALL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "link/model/link_context.h"

struct adjacency;

/* The state of a breadth-first search. */
struct call_walk {
    uint32_t round;    /* number of the search, from 1 */
    uint32_t *visited; /* for each node: number of the last search that visited it */
    uint32_t *from;  /* for each visited node: the node from which it was reached; for a start node,
                        itself */
    uint32_t *queue; /* the nodes that this search has visited, in order */
    uint32_t count;  /* number of nodes in the queue */
};

/* Begins a search that has not visited any node yet. */
void call_walk_start(link_context *link, struct call_walk *walk);

/* Adds a node, which is reached from the node `from`, unless the search has visited it. */
void call_walk_visit(struct call_walk *walk, uint32_t node, uint32_t from);

/* Adds the neighbours of the node at position `number` of the queue. */
void call_walk_expand(struct call_walk *walk, const struct adjacency *neighbours, uint32_t number);

/* Visits everything that the node reaches. */
void call_walk_from(link_context *link, struct call_walk *walk, uint32_t node);

static inline bool call_walk_is_start(const struct call_walk *walk, uint32_t node)
{
    return walk->from[node] == node;
}

#endif
