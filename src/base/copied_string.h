/* Strings in memory from malloc, for callers that have no arena. */
#ifndef WARPLD_BASE_COPIED_STRING_H
#define WARPLD_BASE_COPIED_STRING_H

#include "base/bytes.h"

/* Copies the bytes, with a NUL after them; the caller frees them. NULL if memory has run out. */
char *copied_string(struct bytes bytes);

#endif
