/* Patterns of names, in which a star matches any text. The options -kernels-used and
 * -variables-used have such patterns as arguments, and host objects contain them. */
#ifndef WARPLD_LINK_NOTES_NAME_PATTERN_H
#define WARPLD_LINK_NOTES_NAME_PATTERN_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether the pattern matches the whole text. */
bool name_pattern_matches(struct bytes pattern, struct bytes text);

/* Splits a pattern at its stars. Sets *piece to the text before the next star, which may be empty,
 * and *rest to the text after that star. Returns false if there is no further piece. */
bool name_pattern_next_piece(struct bytes *rest, struct bytes *piece);

#endif
