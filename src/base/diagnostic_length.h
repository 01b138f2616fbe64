/* Shortens messages that quote names of several megabytes. */
#ifndef WARPLD_BASE_DIAGNOSTIC_LENGTH_H
#define WARPLD_BASE_DIAGNOSTIC_LENGTH_H

struct diagnostic;

/* Leaves out the middle of `text`, the diagnostic's text, if it has more than 4 MiB. Removes the
 * diagnostic's symbol or section if its name has more than 4 MiB; the text may still quote a
 * shortened form of the name. Without this function one message could exceed the limit for all
 * messages. The caller would then receive only the notice that the limit was reached. */
void diagnostic_shorten(struct diagnostic *diagnostic, char *text);

#endif
