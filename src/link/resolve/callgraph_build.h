/* Builds the call graph of the program, and sorts its nodes so that callees precede callers. */
#ifndef WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H
#define WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Reads the call graph pairs of an object. pass_resolve calls this. */
void callgraph_read(link_context *link, struct input_object *object);

/* Finds the strongly connected components among the nodes that kernels reach, and sorts the nodes
 * so that callees precede callers. Requires: it is decided which kernels are kept. */
void callgraph_order(struct warpld_link *link);

#endif
