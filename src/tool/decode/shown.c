/* Escapes text for a terminal; see shown.h. */
#include "tool/decode/shown.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/terminal_text.h"
#include "tool/decode/subject.h"

/* Returns the number of bytes that must be escaped. */
static size_t count_unsafe(const char *text)
{
    size_t count = 0;
    while (*text) {
        bool is_safe;
        size_t size = terminal_text_read(text, &is_safe);
        count += is_safe ? 0 : size;
        text += size;
    }
    return count;
}

const char *shown_text(struct arena *arena, const char *text)
{
    enum { ESCAPE_SIZE = sizeof "\\x1b" - 1 };
    size_t unsafe = count_unsafe(text), left = 0;
    if (!unsafe)
        return text;
    char *shown = arena_alloc(arena, strlen(text) + unsafe * (ESCAPE_SIZE - 1) + 1);
    char *next = shown;
    for (bool is_safe = true; *text; text++, left--) {
        if (!left)
            left = terminal_text_read(text, &is_safe);
        if (is_safe)
            *next++ = *text;
        else
            next += snprintf(next, ESCAPE_SIZE + 1, "\\x%02x", (unsigned char)*text);
    }
    return shown;
}

void tool_error(const char *format, ...)
{
    struct arena arena;
    va_list arguments, again;
    tool_arena_init(&arena);
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    char *text = arena_alloc(&arena, size < 0 ? 1 : (size_t)size + 1);
    if (size >= 0)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    char *line = arena_format(&arena, "cubintool: %s\n", shown_text(&arena, text));
    fwrite(line, 1, strlen(line), stderr);
    arena_destroy(&arena);
}
