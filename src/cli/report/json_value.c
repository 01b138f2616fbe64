/* JSON values; see json_value.h. */
#include "cli/report/json_value.h"

#include <string.h>

json_t *json_made(struct arena *arena, json_t *value)
{
    if (!value)
        arena_give_up(arena);
    return value;
}

static json_t *latin1_text(struct arena *arena, const char *text)
{
    char *utf8 = arena_alloc(arena, 2 * strlen(text) + 1), *next = utf8;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80)
            *next++ = (char)(0xc0 | c >> 6);
        *next++ = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    return json_string(utf8);
}

json_t *json_text(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return json_made(arena, value ? value : latin1_text(arena, text));
}

void json_set(struct arena *arena, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, json_made(arena, value)))
        arena_give_up(arena);
}

void json_append(struct arena *arena, json_t *list, json_t *value)
{
    if (json_array_append_new(list, json_made(arena, value)))
        arena_give_up(arena);
}
