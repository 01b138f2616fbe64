/* The call graph in the form of the public interface. */
#ifndef WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H
#define WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H

#include "link/model/link_context.h"
#include "warpld.h"

/* Returns the call graph: a description of each function, and the callees as the link's own
 * adjacency arrays. */
struct warpld_call_graph describe_callgraph(link_context *link);

#endif
