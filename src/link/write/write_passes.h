/* The passes that complete the file and write it, in the order of the list in link.c. */
#ifndef WARPLD_LINK_WRITE_WRITE_PASSES_H
#define WARPLD_LINK_WRITE_WRITE_PASSES_H

struct warpld_link;

void pass_metadata(struct warpld_link *link);
void pass_symtab(struct warpld_link *link);
void pass_filelayout(struct warpld_link *link);
void pass_write_output(struct warpld_link *link);

#endif
