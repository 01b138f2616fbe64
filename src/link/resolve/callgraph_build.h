/* The call graph of the inputs. */
#ifndef WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H
#define WARPLD_LINK_RESOLVE_CALLGRAPH_BUILD_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Reads the call graph pairs of an object. Called by resolve. */
void callgraph_read(link_context *link, struct input_object *object);

/* Orders the nodes that kernels reach and finds the cycles. Requires: the kept kernels (gc). */
void callgraph_order(struct warpld_link *link);

#endif
