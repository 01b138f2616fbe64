/* Messages that quote names of megabytes. */
#ifndef WARPLD_BASE_DIAGNOSTIC_LENGTH_H
#define WARPLD_BASE_DIAGNOSTIC_LENGTH_H

struct diagnostic;

/* Leaves the middle out of a text of more than 4 MB, which is the diagnostic's, and removes a
 * symbol or a section with such a name. Otherwise one message could exceed the limit of all, and
 * the caller would receive nothing but the notice of that. */
void diagnostic_shorten(struct diagnostic *diagnostic, char *text);

#endif
