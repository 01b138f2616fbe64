/* Escapes characters that must not reach a terminal; see terminal_text.h. */
#include "base/terminal_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

/* Like terminal_text_read. In a text of several lines, newlines and tabs are safe. */
static size_t read_character(const char *text, bool has_lines, bool *is_safe)
{
    size_t size = terminal_text_read(text, is_safe);
    *is_safe |= has_lines && (*text == '\n' || *text == '\t');
    return size;
}

/* Returns the number of bytes before the first character that is not safe. */
static size_t safe_size(const char *text, size_t size, bool has_lines)
{
    size_t position = 0;
    while (position < size) {
        bool is_safe;
        size_t length = read_character(text + position, has_lines, &is_safe);
        if (!is_safe)
            return position;
        position += length;
    }
    return size;
}

static void escape_byte(char *out, uint8_t byte)
{
    static const char DIGITS[] = "0123456789abcdef";
    const char escape[TERMINAL_ESCAPE_SIZE] = {'\\', 'x', DIGITS[byte >> 4], DIGITS[byte & 15]};
    memcpy(out, escape, sizeof escape);
}

static size_t show_character(char *shown, const char *text, bool has_lines, size_t *size)
{
    bool is_safe;
    *size = read_character(text, has_lines, &is_safe);
    if (is_safe) {
        memcpy(shown, text, *size);
        return *size;
    }
    for (size_t i = 0; i < *size; i++)
        escape_byte(shown + i * TERMINAL_ESCAPE_SIZE, (uint8_t)text[i]);
    return *size * TERMINAL_ESCAPE_SIZE;
}

size_t terminal_text_show_character(char shown[TERMINAL_LONGEST_SHOWN], const char *text,
                                    size_t *size)
{
    return show_character(shown, text, false, size);
}

static char *escape(char *out, const char *text, size_t size, bool has_lines)
{
    for (const char *end = text + size; text < end; text += size)
        out += show_character(out, text, has_lines, &size);
    *out = '\0';
    return out;
}

char *terminal_text_escape(char *out, const char *text)
{
    return escape(out, text, strlen(text), false);
}

/* The most bytes of a text of which the first `safe` of `size` bytes need no escape. */
static size_t capacity(size_t size, size_t safe)
{
    return safe + (size - safe) * TERMINAL_ESCAPE_SIZE + 1;
}

const char *terminal_text_show_printed(struct arena *arena, const char *text, size_t size,
                                       bool has_lines)
{
    size_t safe = safe_size(text, size, has_lines);
    if (safe == size)
        return text;
    char *shown = arena_alloc(arena, capacity(size, safe));
    escape(shown, text, size, has_lines);
    return shown;
}

const char *terminal_text_show(struct arena *arena, const char *text)
{
    return terminal_text_show_printed(arena, text, strlen(text), false);
}

const char *terminal_text_make_safe(char *text, char **copy)
{
    size_t size = strlen(text), safe = safe_size(text, size, false);
    *copy = safe == size ? NULL : malloc(capacity(size, safe));
    if (*copy)
        escape(*copy, text, size, false);
    else
        text[safe] = '\0';
    return *copy ? *copy : text;
}
