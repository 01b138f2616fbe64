/* Compares symbols with names that users write, either mangled or in their readable form. */
#ifndef WARPLD_REPORT_NAME_FILTER_H
#define WARPLD_REPORT_NAME_FILTER_H

#include <stdbool.h>

struct report;

/* Whether the user's word means the symbol: its mangled name, its readable one, or the readable one
 * without parameters and template arguments ("scale" for "void scale<int>(int*)"). */
bool name_is_meant(const struct report *report, const char *word, const char *name);

/* The same for a pattern, in which a star matches any characters. */
bool name_matches_pattern(const struct report *report, const char *pattern, const char *name);

#endif
