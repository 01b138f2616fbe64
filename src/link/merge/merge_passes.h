/* The pass that merges the inputs, in the order of the list in link.c. */
#ifndef WARPLD_LINK_MERGE_MERGE_PASSES_H
#define WARPLD_LINK_MERGE_MERGE_PASSES_H

struct warpld_link;

void pass_merge(struct warpld_link *link);

#endif
