/* Escapes in strings of JSON; see json_escape.h. */
#include "base/json_escape.h"

#include <stdio.h>
#include <string.h>

bool json_is_plain(const char *text)
{
    unsigned char byte = (unsigned char)*text;
    if (byte == '<')
        return !text[1] || !strchr("/!sS", text[1]);
    return byte >= ' ' && byte != '"' && byte != '\\' && byte != 0x7f;
}

size_t json_escape(char *escape, char byte)
{
    bool is_short = byte == '"' || byte == '\\';
    return (size_t)(is_short ? snprintf(escape, JSON_LONGEST_ESCAPE, "\\%c", byte)
                             : snprintf(escape, JSON_LONGEST_ESCAPE, "\\u%04x",
                                        (unsigned)(unsigned char)byte));
}
