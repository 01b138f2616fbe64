/* Escapes in strings of JSON; see json_escape.h. */
#include "base/json_escape.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal_text.h"
#include "base/utf8.h"

enum { DEL = 0x7f };

bool json_is_plain(const char *text)
{
    unsigned char byte = (unsigned char)*text;
    if (byte == '<')
        return !text[1] || !strchr("/!sS", text[1]);
    return byte >= ' ' && byte != '"' && byte != '\\' && byte < DEL;
}

/* JSON writes a character above U+FFFF as two surrogates (RFC 8259, section 7). */
static void write_code(char escape[JSON_LONGEST_ESCAPE], uint32_t code)
{
    if (code <= UINT16_MAX)
        snprintf(escape, JSON_LONGEST_ESCAPE, "\\u%04x", (uint16_t)code);
    else
        snprintf(escape, JSON_LONGEST_ESCAPE, "\\u%04x\\u%04x", (uint16_t)(0xd7c0 + (code >> 10)),
                 (uint16_t)(0xdc00 + (code & 0x3ff)));
}

size_t json_escape(char escape[JSON_LONGEST_ESCAPE], const char *text)
{
    *escape = '\0';
    if (json_is_plain(text))
        return 1;
    uint32_t code;
    bool is_safe;
    size_t size = utf8_read(text, &code);
    terminal_text_read(text, &is_safe);
    if (*text == '"' || *text == '\\')
        snprintf(escape, JSON_LONGEST_ESCAPE, "\\%c", *text);
    else if (!is_safe || *text == '<')
        write_code(escape, code);
    return size;
}

char *json_escape_del(char *document)
{
    static const char ESCAPE[] = "\\u007f";
    size_t count = 0;
    for (const char *at = document; at && (at = strchr(at, DEL)); at++)
        count++;
    if (!count)
        return document;
    char *escaped = malloc(strlen(document) + count * (sizeof ESCAPE - 2) + 1), *next = escaped;
    for (const char *from = document; escaped; from++) {
        size_t size = strcspn(from, (const char[]){DEL, 0});
        memcpy(next, from, size);
        next += size;
        from += size;
        if (!*from)
            break;
        memcpy(next, ESCAPE, sizeof ESCAPE - 1);
        next += sizeof ESCAPE - 1;
    }
    if (escaped)
        *next = '\0';
    free(document);
    return escaped;
}
