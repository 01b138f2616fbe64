/* Messages that quote names of megabytes. */
#ifndef WARPLD_BASE_DIAGNOSTIC_LENGTH_H
#define WARPLD_BASE_DIAGNOSTIC_LENGTH_H

struct diagnostic;

/* Leaves the middle out of the diagnostic's text if it has more than 4 MB, and removes a symbol or
 * a section whose name has more, which the text may quote shortened. Otherwise one message could
 * exceed the limit of all, and the caller would receive nothing but the notice of that. */
void diagnostic_shorten(struct diagnostic *diagnostic, char *text);

#endif
