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
    bool needs_comma;    /* the next member or element is preceded by a comma */
};

/* Begins a member with `"key":`, or an element of a list if the key is NULL. The caller then writes
 * the value. Keys are plain words. */
void json_put_key(struct json_output *json, const char *key);

/* json_put_open begins an object or a list with its opening bracket; json_put_close ends it with
 * the closing one. */
void json_put_open(struct json_output *json, const char *key, char bracket);
void json_put_close(struct json_output *json, char bracket);

void json_put_number(struct json_output *json, const char *key, uint64_t number);
void json_put_flag(struct json_output *json, const char *key, bool flag);

/* A text that is not UTF-8 is read as Latin-1. NULL becomes null. "<" is escaped where it could
 * begin a tag such as </script>, so that the JSON can be embedded in a page of HTML. */
void json_put_string(struct json_output *json, const char *key, const char *text);

/* Writes the member only if there is a value: if the number is not UINT32_MAX, or the text is not
 * NULL. */
void json_put_index(struct json_output *json, const char *key, uint32_t index);
void json_put_optional(struct json_output *json, const char *key, const char *text);

#endif
