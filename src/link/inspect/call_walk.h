/* Searches in the call graph. They are repeated for thousands of functions, so their memory is
 * reused, and each search takes time in proportion to what it visits. */
#ifndef WARPLD_LINK_INSPECT_CALL_WALK_H
#define WARPLD_LINK_INSPECT_CALL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "link/model/link_context.h"

struct adjacency;

/* Nodes in the order of a search, nearest first. */
struct call_walk {
    uint32_t round;    /* number of the search */
    uint32_t *visited; /* by node: the last search that visited it */
    uint32_t *from;    /* by node: the node before it on the path; for a start node, itself */
    uint32_t *queue;
    uint32_t count;
};

/* Begins a search, which has no nodes yet. */
void call_walk_start(link_context *link, struct call_walk *walk);

/* Adds a node, unless it was visited. */
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
