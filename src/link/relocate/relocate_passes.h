/* The pass that decides about relocations. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_PASSES_H
#define WARPLD_LINK_RELOCATE_RELOCATE_PASSES_H

struct warpld_link;

void pass_scan(struct warpld_link *link);

#endif
