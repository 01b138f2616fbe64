/* The pass that decides about relocations, in the order of the list in link.c. */
#ifndef WARPLD_LINK_RELOCATE_RELOCATE_PASSES_H
#define WARPLD_LINK_RELOCATE_RELOCATE_PASSES_H

struct warpld_link;

void pass_scan(struct warpld_link *link);

#endif
