/* What is not in the output, as text: --print-removed. */
#ifndef WARPLD_REPORT_REMOVED_TEXT_H
#define WARPLD_REPORT_REMOVED_TEXT_H

#include <stdbool.h>

#include "warpld.h"

struct report;
struct text_output;

/* Writes a line for each function, variable and input that was removed. A last line has the total
 * numbers of removed kernels, functions and others. */
bool removed_write(const struct report *report, struct text_output *output);

/* Writes "kernel 'k' of a.o: no host code refers to it", without a newline. */
void removed_put(const struct report *report, struct text_output *output,
                 const struct warpld_removed *removed);

/* Returns a word for the reason, such as "no-host-reference". All versions of warpld use the same
 * words. */
const char *removal_name(enum warpld_removal reason);

#endif
