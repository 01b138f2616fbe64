/* Conversion from Latin-1. JSON is UTF-8, so a text that is not UTF-8 is read as Latin-1. */
#ifndef WARPLD_BASE_LATIN1_H
#define WARPLD_BASE_LATIN1_H

#include "base/arena.h"

/* Converts a text from Latin-1 to UTF-8. The result is in the arena. */
const char *latin1_to_utf8(struct arena *arena, const char *text);

#endif
