/* Compares names of symbols with names that users write, which are mangled or readable. */
#ifndef WARPLD_REPORT_NAME_FILTER_H
#define WARPLD_REPORT_NAME_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* Whether `word` means the symbol with the mangled name `name`. The word can be the mangled name,
 * the readable name, or the qualified name alone ("scale" for "void scale<int>(int*)"). */
bool name_is_meant(const struct report *report, const char *word, const char *name);

/* The forms of one name. They are made once for all patterns, because there can be thousands. */
struct name_forms {
    const char *mangled;
    const char *readable;
    const char *qualified; /* a part of `readable` */
    size_t qualified_size;
};

struct name_forms name_forms_of(const struct report *report, const char *name);

/* Compares as name_is_meant does, but in `pattern` each star matches any characters. */
bool name_forms_match(const struct name_forms *forms, const char *pattern);

#endif
