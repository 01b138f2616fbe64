/* A note that names the inputs with LTO-IR. */
#ifndef WARPLD_LINK_NOTES_INTERMEDIATES_H
#define WARPLD_LINK_NOTES_INTERMEDIATES_H

struct warpld_link;

/* Reports a note that names the inputs whose LTO-IR became the optimised object. `symbol` is the
 * subject of the message that precedes the note; NULL if it has none. */
void report_intermediates(struct warpld_link *link, const char *symbol);

#endif
