/* The pass that merges the inputs. */
#ifndef WARPLD_LINK_MERGE_MERGE_PASSES_H
#define WARPLD_LINK_MERGE_MERGE_PASSES_H

struct warpld_link;

void pass_merge(struct warpld_link *link);

#endif
