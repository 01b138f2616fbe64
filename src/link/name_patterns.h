/* Patterns of names, in which a star stands for anything: those of -kernels-used and
 * -variables-used, and those that host objects list. */
#ifndef WARPLD_LINK_NAME_PATTERNS_H
#define WARPLD_LINK_NAME_PATTERNS_H

#include <stdbool.h>

#include "base/bytes.h"

/* The pattern stands somewhere in the name: its pieces one behind the other. */
bool name_pattern_is_in(const char *pattern, const char *name);

/* It is the whole text. Its first character is a star, or there is none. */
bool name_pattern_matches(struct bytes pattern, const char *text);

#endif
