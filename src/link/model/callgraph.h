/* The call graph: who calls whom, directly or through a pointer.
 *
 * Nodes are the functions of the program, by function index, and behind them one node for each
 * prototype that is called indirectly: an indirect caller calls the prototype's node, which calls
 * every function with that prototype whose address is taken. So the number of edges stays linear.
 */
#ifndef WARPLD_LINK_MODEL_CALLGRAPH_H
#define WARPLD_LINK_MODEL_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct linked_name;
struct warpld_link;

/* A pair of the .nv.callgraph of some input, in reading order. */
struct call_pair {
    struct function *first;
    struct function *second;       /* groups CALLS and TAKES_ADDRESS */
    struct linked_name *prototype; /* groups ADDRESS_TAKEN and INDIRECT_CALLERS */
};

/* Groups of pairs, in the order of their headings -1 to -4. */
enum call_group_kind {
    GROUP_CALLS,
    GROUP_ADDRESS_TAKEN,
    GROUP_INDIRECT_CALLERS,
    GROUP_TAKES_ADDRESS,
    NO_GROUP,
};

struct call_group {
    GROWING_ARRAY(struct call_pair, pairs);
};

/* Adjacency as one array of targets with an index per node. */
struct adjacency {
    uint32_t *start; /* node_count + 1 */
    uint32_t *targets;
};

struct edge_list {
    GROWING_ARRAY(uint32_t, from);
    GROWING_ARRAY(uint32_t, to);
};

void edge_list_add(struct warpld_link *link, struct edge_list *edges, uint32_t from, uint32_t to);

/* The edges by their sources; the order of a node's targets is that of the edges. */
void adjacency_make(struct warpld_link *link, struct adjacency *adjacency, uint32_t node_count,
                    const uint32_t *from, const uint32_t *to, size_t count);

struct callgraph {
    struct call_group groups[NO_GROUP];
    uint32_t function_count;
    uint32_t node_count;
    struct adjacency callees;
    struct adjacency callers;
    uint32_t *order; /* nodes that kernels reach, component by component, callees first */
    uint32_t order_count;
    uint32_t *component; /* by node: number of its strongly connected component, callees first */
    uint32_t component_count;
    bool *cyclic; /* by component: contains a call cycle */
};

#endif
