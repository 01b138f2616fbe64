/* The passes that resolve names and decide which functions are kept, in the order of the list in
 * link.c. */
#ifndef WARPLD_LINK_RESOLVE_RESOLVE_PASSES_H
#define WARPLD_LINK_RESOLVE_RESOLVE_PASSES_H

struct warpld_link;

void pass_resolve(struct warpld_link *link);
void pass_aliases(struct warpld_link *link);
void pass_callgraph_build(struct warpld_link *link);
void pass_gc(struct warpld_link *link);
void pass_check_prepared(struct warpld_link *link);
void pass_uncalled(struct warpld_link *link);
void pass_undefined(struct warpld_link *link);
void pass_report_callgraph(struct warpld_link *link);

#endif
