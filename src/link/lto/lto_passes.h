/* The pass of link-time optimisation. */
#ifndef WARPLD_LINK_LTO_LTO_PASSES_H
#define WARPLD_LINK_LTO_LTO_PASSES_H

struct warpld_link;

void pass_optimise(struct warpld_link *link);

/* Releases the optimiser's result if it is not released yet. Is called even if memory runs out. */
void release_optimised(struct warpld_link *link);

#endif
