/* Which characters may reach a terminal; see terminal_text.h. */
#include "base/terminal_text.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The characters from U+0080 on that are not safe: general categories Cc, Cf, Zl and Zp of Unicode
 * 15.1 (DerivedGeneralCategory.txt), in ascending order. */
static const struct code_range {
    uint32_t first, last;
} UNSAFE[] = {
    {0x80, 0x9f},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x2064},
    {0x2066, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0001, 0xe0001}, {0xe0020, 0xe007f},
};

static bool is_unsafe(uint32_t code)
{
    for (size_t i = 0; i < sizeof UNSAFE / sizeof *UNSAFE && code >= UNSAFE[i].first; i++)
        if (code <= UNSAFE[i].last)
            return true;
    return false;
}

size_t terminal_text_read(const char *text, bool *is_safe)
{
    uint8_t first = (uint8_t)*text;
    if (first < 0x80) {
        *is_safe = first >= ' ' && first != 0x7f;
        return 1;
    }
    uint32_t code;
    size_t size = utf8_read(text, &code);
    *is_safe = size ? !is_unsafe(code) : first > 0x9f;
    return size ? size : 1;
}

static void hide_controls(char *text, const char *kept)
{
    while (*text) {
        bool is_safe;
        size_t size = terminal_text_read(text, &is_safe);
        if (!is_safe && !strchr(kept, *text))
            memset(text, '?', size);
        text += size;
    }
}

void terminal_text_hide_controls(char *text)
{
    hide_controls(text, "");
}

void terminal_text_hide_controls_in_lines(char *text)
{
    hide_controls(text, "\n\t");
}
