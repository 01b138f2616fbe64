/* A pattern of names, in which a star stands for anything: those of -kernels-used and
 * -variables-used, and those that host objects list. */
#ifndef WARPLD_LINK_RESOLVE_NAME_PATTERN_H
#define WARPLD_LINK_RESOLVE_NAME_PATTERN_H

#include "base/bytes.h"
#include <stdbool.h>

/* The pattern is the whole text. */
bool name_pattern_matches(struct bytes pattern, struct bytes text);

/* What stands between stars, also if that is nothing; false when there is no more. */
bool name_pattern_next_piece(struct bytes *rest, struct bytes *piece);

#endif
