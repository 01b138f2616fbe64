/* A note that names the inputs with LTO-IR. */
#ifndef WARPLD_LINK_NOTES_INTERMEDIATES_H
#define WARPLD_LINK_NOTES_INTERMEDIATES_H

struct warpld_link;

/* Reports a note that names the inputs from whose LTO-IR the optimised object was made. `symbol` is
 * the symbol that the preceding message is about; NULL if there is none. */
void report_intermediates(struct warpld_link *link, const char *symbol);

#endif
