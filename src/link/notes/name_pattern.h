/* A pattern of names, in which a star matches any text: the patterns of -kernels-used and
 * -variables-used, and those in host objects. */
#ifndef WARPLD_LINK_NOTES_NAME_PATTERN_H
#define WARPLD_LINK_NOTES_NAME_PATTERN_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether the pattern matches the whole text. */
bool name_pattern_matches(struct bytes pattern, struct bytes text);

/* Returns the next piece between stars, which may be empty; false if there is none. */
bool name_pattern_next_piece(struct bytes *rest, struct bytes *piece);

#endif
