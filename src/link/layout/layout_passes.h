/* The passes that lay out memory or, with -r, prepare the output for another link; in the order of
 * the list in link.c. */
#ifndef WARPLD_LINK_LAYOUT_LAYOUT_PASSES_H
#define WARPLD_LINK_LAYOUT_LAYOUT_PASSES_H

struct warpld_link;

void pass_relocatable(struct warpld_link *link);
void pass_textures(struct warpld_link *link);
void pass_layout_global(struct warpld_link *link);
void pass_layout_shared(struct warpld_link *link);
void pass_unused_constants(struct warpld_link *link);
void pass_repack(struct warpld_link *link);
void pass_layout_constant(struct warpld_link *link);
void pass_share_constants(struct warpld_link *link);
void pass_deduplicate(struct warpld_link *link);
void pass_unified(struct warpld_link *link);

#endif
