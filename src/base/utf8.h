/* Whether text is UTF-8. */
#ifndef WARPLD_BASE_UTF8_H
#define WARPLD_BASE_UTF8_H

#include <stdbool.h>

/* Whether the text is well-formed UTF-8, as RFC 3629 defines it. */
bool utf8_is_valid(const char *text);

#endif
