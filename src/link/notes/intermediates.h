/* The inputs of LTO-IR. */
#ifndef WARPLD_LINK_NOTES_INTERMEDIATES_H
#define WARPLD_LINK_NOTES_INTERMEDIATES_H

struct warpld_link;

/* Says in a note which inputs have the LTO-IR that the optimised object is made of. The symbol,
 * which the message above is about, may be NULL. */
void report_intermediates(struct warpld_link *link, const char *symbol);

#endif
