/* A comparison as JSON; see diff.h. */
#include "tool/diff/diff.h"
#include "tool/print/print.h"

static json_t *text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}

void print_diff_json(const struct diff *diff)
{
    json_t *list = json_made(json_array());
    for (size_t i = 0; i < diff->found_count; i++) {
        const struct difference *difference = &diff->found[i];
        json_t *object = json_made(json_object());
        json_object_set_new(object, "section", text_or_null(difference->section));
        json_object_set_new(object, "entry", text_or_null(difference->entry));
        json_object_set_new(object, "field", text_or_null(difference->field));
        json_object_set_new(object, "a", text_or_null(difference->a));
        json_object_set_new(object, "b", text_or_null(difference->b));
        json_array_append_new(list, object);
    }
    json_t *result = json_made(json_object());
    json_object_set_new(result, "a", json_text(diff->sides[SIDE_A].path));
    json_object_set_new(result, "b", json_text(diff->sides[SIDE_B].path));
    json_object_set_new(result, "strict", json_boolean(diff->strict));
    json_object_set_new(result, "equal", json_boolean(!diff->count));
    json_object_set_new(result, "count", json_made(json_integer((json_int_t)diff->count)));
    json_object_set_new(result, "differences", list);
    print_json(result);
}
