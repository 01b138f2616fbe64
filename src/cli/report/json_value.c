/* JSON values; see json_value.h. */
#include "cli/report/json_value.h"

#include "base/arena.h"
#include "base/latin1.h"

json_t *json_made(struct arena *arena, json_t *value)
{
    if (!value)
        arena_give_up(arena);
    return value;
}

json_t *json_text(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return json_made(arena, value ? value : json_string(latin1_to_utf8(arena, text)));
}

void json_set(struct arena *arena, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, json_made(arena, value)))
        arena_give_up(arena);
}

void json_set_text(struct arena *arena, json_t *object, const char *key, const char *text)
{
    json_set(arena, object, key, json_text(arena, text));
}

void json_append(struct arena *arena, json_t *list, json_t *value)
{
    if (json_array_append_new(list, json_made(arena, value)))
        arena_give_up(arena);
}
