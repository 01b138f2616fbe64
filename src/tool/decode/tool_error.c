/* Writes the errors of cubintool; see tool_error.h. */
#include "tool/decode/tool_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/subject.h"

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
    char *line = arena_format(&arena, "cubintool: %s\n", terminal_text_show(&arena, text));
    fwrite(line, 1, strlen(line), stderr);
    arena_destroy(&arena);
}
