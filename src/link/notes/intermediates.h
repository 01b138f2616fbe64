/* The inputs of LTO-IR. */
#ifndef WARPLD_LINK_NOTES_INTERMEDIATES_H
#define WARPLD_LINK_NOTES_INTERMEDIATES_H

struct warpld_link;

/* Reports a note that names the inputs whose LTO-IR became the optimised object. `symbol`, which
 * the message before the note is about, may be NULL. */
void report_intermediates(struct warpld_link *link, const char *symbol);

#endif
