/* JSON; see json_output.h. */
#include "report/json_output.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/latin1.h"
#include "base/utf8.h"

void json_put_key(struct json_output *json, const char *key)
{
    if (json->needs_comma)
        text_put_char(json->text, ',');
    if (key) {
        text_put_char(json->text, '"');
        text_put(json->text, key);
        text_put_bytes(json->text, "\":", 2);
    }
    json->needs_comma = true;
}

void json_put_open(struct json_output *json, const char *key, char bracket)
{
    json_put_key(json, key);
    text_put_char(json->text, bracket);
    json->needs_comma = false;
}

void json_put_close(struct json_output *json, char bracket)
{
    text_put_char(json->text, bracket);
    json->needs_comma = true;
}

void json_put_number(struct json_output *json, const char *key, uint64_t number)
{
    json_put_key(json, key);
    text_put_number(json->text, number, 10, 0);
}

void json_put_flag(struct json_output *json, const char *key, bool flag)
{
    json_put_key(json, key);
    text_put(json->text, flag ? "true" : "false");
}

/* --------------------------------------------------------------------------------------------- */
/* Strings                                                                                       */

void json_put_string(struct json_output *json, const char *key, const char *text)
{
    char escape[JSON_LONGEST_ESCAPE];
    json_put_key(json, key);
    if (!text) {
        text_put(json->text, "null");
        return;
    }
    const char *start = utf8_is_valid(text) ? text : latin1_to_utf8(json->arena, text), *next;
    text_put_char(json->text, '"');
    for (next = start; *next;) {
        if (json_is_plain(next)) {
            next++;
            continue;
        }
        size_t size = json_escape(escape, next);
        if (*escape) {
            text_put_bytes(json->text, start, (size_t)(next - start));
            text_put(json->text, escape);
            start = next + size;
        }
        next += size;
    }
    text_put_bytes(json->text, start, (size_t)(next - start));
    text_put_char(json->text, '"');
}

void json_put_index(struct json_output *json, const char *key, uint32_t index)
{
    if (index != UINT32_MAX)
        json_put_number(json, key, index);
}

void json_put_optional(struct json_output *json, const char *key, const char *text)
{
    if (text)
        json_put_string(json, key, text);
}
