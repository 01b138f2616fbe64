/* UTF-8; see utf8.h. */
#include "base/utf8.h"

/* The characters that have several bytes: a range of first bytes, the size of a character that
 * begins with one of them, and the range of its second byte. No byte outside these ranges of first
 * bytes begins such a character. */
static const struct utf8_start {
    uint8_t first, last; /* of first bytes */
    uint8_t size;
    uint8_t low, high; /* of the second byte */
} STARTS[] = {
    {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf}, {0xe1, 0xec, 3, 0x80, 0xbf},
    {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf}, {0xf0, 0xf0, 4, 0x90, 0xbf},
    {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* The size of the character, or 0 if the character is not valid. The text ends with a NUL, which is
 * not a continuation byte. */
static size_t size_of_character(const uint8_t *text)
{
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        const struct utf8_start *start = &STARTS[i];
        if (*text < start->first || *text > start->last)
            continue;
        if (text[1] < start->low || text[1] > start->high)
            return 0;
        for (size_t byte = 2; byte < start->size; byte++)
            if (text[byte] >> 6 != 2)
                return 0;
        return start->size;
    }
    return 0;
}

size_t utf8_read(const char *text, uint32_t *code)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t size = *bytes < 0x80 ? 1 : size_of_character(bytes);
    *code = size > 1 ? *bytes & (0xffU >> (size + 1)) : *bytes;
    for (size_t i = 1; i < size; i++)
        *code = *code << 6 | (bytes[i] & 0x3f);
    return size;
}

bool utf8_is_valid(const char *text)
{
    const uint8_t *next = (const uint8_t *)text;
    while (*next) {
        size_t size = *next < 0x80 ? 1 : size_of_character(next);
        if (!size)
            return false;
        next += size;
    }
    return true;
}
