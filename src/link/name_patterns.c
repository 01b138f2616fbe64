/* Patterns of names; see name_patterns.h. The leftmost place for each piece between stars is always
 * good enough. */
#define _GNU_SOURCE /* memmem, strchrnul */
#include "link/name_patterns.h"

#include <string.h>

/* Behind the piece in the text; NULL when it is not there. */
static const char *find_piece(const char *text, const char *text_end, const void *piece,
                              size_t size)
{
    const char *found = memmem(text, (size_t)(text_end - text), piece, size);
    return found ? found + size : NULL;
}

bool name_pattern_is_in(const char *pattern, const char *name)
{
    const char *name_end = name + strlen(name);
    while (name) {
        const char *end = strchrnul(pattern, '*');
        name = find_piece(name, name_end, pattern, (size_t)(end - pattern));
        if (!*end)
            break;
        pattern = end + 1;
    }
    return name;
}

bool name_pattern_matches(struct bytes pattern, const char *text)
{
    struct bytes rest = pattern;
    const char *text_end = text + strlen(text);
    while (rest.size) {
        rest.data++; /* the star */
        rest.size--;
        const uint8_t *star = rest.size ? memchr(rest.data, '*', (size_t)rest.size) : NULL;
        size_t piece = star ? (size_t)(star - rest.data) : (size_t)rest.size;
        if (!star) /* the last piece stands at the end */
            return piece <= (size_t)(text_end - text) &&
                   !memcmp(text_end - piece, rest.data, piece);
        text = find_piece(text, text_end, rest.data, piece);
        if (!text)
            return false;
        rest.data += piece;
        rest.size -= piece;
    }
    return !*text;
}
