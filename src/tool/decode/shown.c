/* Escapes text for a terminal; see shown.h. */
#include "tool/decode/shown.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool/decode/subject.h"

/* Does not depend on the locale, which the tool never sets. Bytes of UTF-8 beyond ASCII are kept.
 */
static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static size_t count_controls(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += is_control(*text);
    return count;
}

const char *shown_text(struct arena *arena, const char *text)
{
    enum { ESCAPE_SIZE = sizeof "\\x1b" - 1 };
    size_t controls = count_controls(text);
    if (!controls)
        return text;
    char *shown = arena_alloc(arena, strlen(text) + controls * (ESCAPE_SIZE - 1) + 1);
    char *next = shown;
    for (; *text; text++) {
        if (is_control(*text))
            next += snprintf(next, ESCAPE_SIZE + 1, "\\x%02x", (unsigned char)*text);
        else
            *next++ = *text;
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
