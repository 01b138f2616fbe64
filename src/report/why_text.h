/* What keeps a symbol, as text: --why. */
#ifndef WARPLD_REPORT_WHY_TEXT_H
#define WARPLD_REPORT_WHY_TEXT_H

#include <stdbool.h>

struct report;
struct text_output;

/* For each symbol whose name matches `word`, writes the chain of references that keeps it, or the
 * reason why it was removed. */
bool why_write(const struct report *report, struct text_output *output, const char *word);

#endif
