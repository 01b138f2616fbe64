/* The list of objects that host code must register.
 *
 * Requires: units. Makes: their names and module ids, in the order of linking. An object that ld -r
 * made of several has several ids: the first one, then the others from the last to the second
 * (nvlink 13.0.88). */
#include <string.h>

#include "link/link.h"

static void add(link_context *link, const struct input_unit *unit, const char *module_id)
{
    *ARENA_APPEND(ARENA, link, linked) = (struct warpld_linked_object){
        .size = sizeof(struct warpld_linked_object), .name = unit->name, .module_id = module_id};
}

static void reverse(struct warpld_linked_object *objects, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct warpld_linked_object other = objects[i];
        objects[i] = objects[count - 1 - i];
        objects[count - 1 - i] = other;
    }
}

static bool is_own_id(struct bytes text)
{
    return text.size && memchr(text.data, ' ', (size_t)text.size) == NULL; /* not "def ID" */
}

static void add_host_object(link_context *link, const struct input_unit *unit)
{
    struct bytes rest = unit->host->module_ids, text;
    size_t first = link->linked_count;
    while (host_string_next(&rest, &text))
        if (is_own_id(text))
            add(link, unit, (const char *)text.data);
    if (link->linked_count == first)
        add(link, unit, NULL);
    reverse(link->linked + first + 1, link->linked_count - first - 1);
}

void linked_objects(link_context *link)
{
    const struct host_object *last = NULL;
    for (size_t i = 0; i < link->units_count; i++) {
        const struct input_unit *unit = link->units[i];
        if (unit->skipped || unit->is_executable || (unit->host && unit->host == last))
            continue;
        last = unit->host;
        if (unit->host)
            add_host_object(link, unit);
        else
            add(link, unit, NULL);
    }
}
