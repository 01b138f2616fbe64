/* The call graph: which function calls which, directly or through a pointer.
 *
 * Nodes 0 to function_count - 1 are the functions of the program, by function index. One node for
 * each prototype that is called indirectly follows them. An indirect caller has an edge to the node
 * of the prototype, and that node has edges to all functions of the prototype whose address is
 * taken. So the number of edges is linear in the input.
 *
 *      caller 1 --\                   /--> function a   (address taken)
 *                  >--> prototype P --
 *      caller 2 --/                   \--> function b   (address taken)
 *
 * The edges are adjacency arrays: the callees of node n are targets[start[n]] up to, but not
 * including, targets[start[n + 1]].
 *
 *      start    0  2  2  3 ...         node 0 calls 4 and 7, node 1 calls nothing,
 *      targets  4  7  2 ...            node 2 calls itself */
#ifndef WARPLD_LINK_MODEL_CALLGRAPH_H
#define WARPLD_LINK_MODEL_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct linked_name;
struct warpld_link;

/* A pair of an input's .nv.callgraph; call_group_kind says what each pair means. The pairs of a
 * group are in reading order. */
struct call_pair {
    struct function *first;
    struct function *second;       /* NULL in groups that have a prototype instead */
    struct linked_name *prototype; /* NULL in groups CALLS and TAKES_ADDRESS */
};

/* The groups of pairs, in the order of .nv.callgraph. There each group begins with a heading, a
 * pair (0, n), where n is -1 for GROUP_CALLS, then -2, -3, and -4 for GROUP_TAKES_ADDRESS. The
 * pairs of the groups are:
 *
 *     GROUP_CALLS              caller, callee
 *     GROUP_ADDRESS_TAKEN      function whose address is taken, its prototype
 *     GROUP_INDIRECT_CALLERS   caller, the prototype that it calls
 *     GROUP_TAKES_ADDRESS      function, the function whose address it takes */
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

/* Edges, grouped by the node that they start from; see the drawing above. */
struct adjacency {
    uint32_t *start; /* node_count + 1 indices into targets */
    uint32_t *targets;
};

struct edge_list {
    GROWING_ARRAY(uint32_t, from);
    GROWING_ARRAY(uint32_t, to);
};

void edge_list_add(struct warpld_link *link, struct edge_list *edges, uint32_t from, uint32_t to);

/* Makes adjacency arrays of `count` edges; edge i leads from from[i] to to[i]. The targets of a
 * node keep the order of the edges. */
void adjacency_make(struct warpld_link *link, struct adjacency *adjacency, uint32_t node_count,
                    const uint32_t *from, const uint32_t *to, size_t count);

struct callgraph {
    struct call_group groups[NO_GROUP];
    uint32_t function_count;
    uint32_t node_count;
    struct adjacency callees;
    struct adjacency callers;
    uint32_t *order; /* nodes that kernels reach, grouped by component, callees first */
    uint32_t order_count;
    uint32_t *component; /* by node: its strongly connected component, numbered callees first */
    uint32_t component_count;
    bool *cyclic; /* by component: it contains a call cycle */
};

#endif
