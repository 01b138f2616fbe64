/* The call graph as the public interface has it. */
#ifndef WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H
#define WARPLD_LINK_RESOLVE_REPORT_CALLGRAPH_H

#include "link/model/link_context.h"
#include "warpld.h"

/* Describes each function and passes the adjacency arrays of the callees. */
struct warpld_call_graph describe_callgraph(link_context *link);

#endif
