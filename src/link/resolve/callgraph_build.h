/* Builds the call graph, and puts its nodes in order. */
#ifndef WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H
#define WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Reads the call graph pairs of an object. pass_resolve calls this. */
void callgraph_read(link_context *link, struct input_object *object);

/* Puts the nodes that kernels reach in order, and finds the cycles. Requires: the kept kernels,
 * which gc finds. */
void callgraph_order(struct warpld_link *link);

#endif
