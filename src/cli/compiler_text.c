/* The messages in a text that a compiler has printed; see compiler_text.h. */
#include "cli/compiler_text.h"

#include <stddef.h>
#include <string.h>

const char *compiler_text_message_end(const char *text, const char *end)
{
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    while (line_end && line_end + 1 < end && line_end[1] == ' ')
        line_end = memchr(line_end + 1, '\n', (size_t)(end - line_end - 1));
    return line_end ? line_end : end;
}

enum warpld_severity compiler_text_severity(const char *text)
{
    static const struct {
        char word[12];
        enum warpld_severity severity;
    } WORDS[] = {
        {"fatal   :", WARPLD_FATAL},   {"error   :", WARPLD_ERROR},  {"error   ", WARPLD_ERROR},
        {"warning :", WARPLD_WARNING}, {"warning ", WARPLD_WARNING},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strstr(text, WORDS[i].word))
            return WORDS[i].severity;
    return WARPLD_INFO;
}
