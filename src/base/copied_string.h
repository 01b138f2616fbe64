/* Strings in memory from malloc, for callers that have no arena. */
#ifndef WARPLD_BASE_COPIED_STRING_H
#define WARPLD_BASE_COPIED_STRING_H

#include "base/bytes.h"

/* Returns a copy of the bytes, followed by a NUL. The caller frees the copy. Returns NULL if memory
 * has run out. */
char *copied_string(struct bytes bytes);

#endif
