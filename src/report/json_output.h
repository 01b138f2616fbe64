/* Writes JSON value by value. Building a tree of all values first would take longer than the link.
 */
#ifndef WARPLD_REPORT_JSON_OUTPUT_H
#define WARPLD_REPORT_JSON_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "report/text_output.h"

struct json_output {
    struct text_output *text;
    struct arena *arena; /* memory for names that must be converted to UTF-8 */
    bool needs_comma;    /* a comma must precede the next member or element */
};

/* Begins a member with `"key":`, or an element of a list if the key is NULL. The caller then writes
 * the value. Keys must need no escapes. */
void json_put_key(struct json_output *json, const char *key);

/* json_put_open begins an object or a list with its opening bracket; json_put_close ends it with
 * the closing one. */
void json_put_open(struct json_output *json, const char *key, char bracket);
void json_put_close(struct json_output *json, char bracket);

void json_put_number(struct json_output *json, const char *key, uint64_t number);
void json_put_flag(struct json_output *json, const char *key, bool flag);

/* Writes a string, or null for NULL. Text that is not UTF-8 is read as Latin-1. "<" is escaped
 * where it could begin a tag such as </script>, so that the JSON can be embedded in an HTML
 * page. */
void json_put_string(struct json_output *json, const char *key, const char *text);

/* These functions write the member only if it has a value: an index that is not UINT32_MAX, or a
 * text that is not NULL. */
void json_put_index(struct json_output *json, const char *key, uint32_t index);
void json_put_optional(struct json_output *json, const char *key, const char *text);

#endif
