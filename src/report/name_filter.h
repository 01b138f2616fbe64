/* Compares names of symbols with names that users write, which are mangled or readable. */
#ifndef WARPLD_REPORT_NAME_FILTER_H
#define WARPLD_REPORT_NAME_FILTER_H

#include <stdbool.h>

struct report;

/* Whether `word` means the symbol with the mangled name `name`. The word can be the mangled name,
 * the readable name, or the qualified name alone ("scale" for "void scale<int>(int*)"). */
bool name_is_meant(const struct report *report, const char *word, const char *name);

/* Compares as name_is_meant does, but in `pattern` each star matches any characters. */
bool name_matches_pattern(const struct report *report, const char *pattern, const char *name);

#endif
