/* The call graph in the form of the public interface. */
#ifndef WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H
#define WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H

#include "link/model/link_context.h"
#include "warpld.h"

/* Describes each function, and passes on the adjacency arrays with the callees. */
struct warpld_call_graph describe_callgraph(link_context *link);

#endif
