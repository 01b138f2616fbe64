/* One pattern of names; see name_pattern.h. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "link/notes/name_pattern.h"

#include <string.h>

bool name_pattern_next_piece(struct bytes *rest, struct bytes *piece)
{
    if (!rest->data)
        return false;
    const uint8_t *star = rest->size ? memchr(rest->data, '*', (size_t)rest->size) : NULL;
    *piece = *rest;
    if (star)
        piece->size = (uint64_t)(star - rest->data);
    *rest = star ? (struct bytes){star + 1, rest->size - piece->size - 1} : (struct bytes){NULL, 0};
    return true;
}

/* Whether the text contains the pieces of the pattern in their order. To decide that, it is enough
 * to search for the leftmost match of each piece. */
static bool pieces_are_in(struct bytes pieces, struct bytes text)
{
    struct bytes piece;
    while (name_pattern_next_piece(&pieces, &piece)) {
        if (!piece.size)
            continue;
        const uint8_t *found = memmem(text.data, (size_t)text.size, piece.data, (size_t)piece.size);
        if (!found)
            return false;
        uint64_t skipped = (uint64_t)(found - text.data) + piece.size;
        text = (struct bytes){text.data + skipped, text.size - skipped};
    }
    return true;
}

/* Compares the last characters. This quick check rejects most patterns. */
static bool ends_differ(struct bytes pattern, struct bytes text)
{
    if (!pattern.size || pattern.data[pattern.size - 1] == '*')
        return false;
    return !text.size || pattern.data[pattern.size - 1] != text.data[text.size - 1];
}

bool name_pattern_matches(struct bytes pattern, struct bytes text)
{
    if (ends_differ(pattern, text))
        return false;
    const uint8_t *star = pattern.size ? memchr(pattern.data, '*', (size_t)pattern.size) : NULL;
    if (!star)
        return pattern.size == text.size && !memcmp(pattern.data, text.data, (size_t)text.size);
    const uint8_t *last = memrchr(star, '*', (size_t)(pattern.data + pattern.size - star));
    size_t before = (size_t)(star - pattern.data);
    size_t after = (size_t)(pattern.data + pattern.size - last) - 1;
    if (before + after > text.size || memcmp(pattern.data, text.data, before) ||
        memcmp(last + 1, text.data + text.size - after, after))
        return false;
    struct bytes middle = {star + 1, last > star ? (uint64_t)(last - star) - 1 : 0};
    return pieces_are_in(middle, (struct bytes){text.data + before, text.size - before - after});
}
