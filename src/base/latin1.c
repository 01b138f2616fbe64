/* Latin-1 in UTF-8; see latin1.h. */
#include "base/latin1.h"

#include <string.h>

#include "base/arena.h"

const char *latin1_to_utf8(struct arena *arena, const char *text)
{
    char *utf8 = arena_alloc(arena, 2 * strlen(text) + 1), *next = utf8;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80)
            *next++ = (char)(0xc0 | c >> 6);
        *next++ = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    return utf8;
}
