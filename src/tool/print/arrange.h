/* Sorts and filters the rows of a table. */
#ifndef WARPLD_TOOL_PRINT_ARRANGE_H
#define WARPLD_TOOL_PRINT_ARRANGE_H

#include <stdbool.h>

#include "tool/command/command.h"
#include "tool/decode/listing.h"

/* Whether the text contains the pattern. If the pattern has a '*' (any characters) or a '?' (one
 * character), the whole text must match it. */
bool pattern_matches(const char *pattern, const char *text);

/* Keeps the rows in which the fact of one of these keys matches --filter, and sorts the rows by the
 * column of --sort. The largest number is first, texts are in alphabetical order, and "-COLUMN"
 * reverses the order. Rows without a value are always last. If there is no such column, reports it
 * to stderr and returns false. */
bool listing_arrange(struct listing *listing, const struct tool_options *options,
                     const char *const *keys, size_t key_count);

#endif
