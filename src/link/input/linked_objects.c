/* Lists the objects that host code must register.
 *
 * Requires: CHOSEN (the units that are skipped).
 * Makes: LISTED, names and module ids in the order of linking.
 * Frozen after: nothing more.
 *
 * An object that ld -r made from several objects has several module ids. The list begins with the
 * first id of each object. The other ids follow in reverse order, as in nvlink 13.0.88. An object
 * without code for the target is listed if it has an id. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/host_object.h"
#include "link/input/input_state.h"
#include "link/input/skip_units.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

static void list_linked_object(link_context *link, const struct input_unit *unit,
                               const char *module_id)
{
    *ARENA_APPEND(&link->arena, link->input, linked) = (struct warpld_linked_object){
        .size = sizeof(struct warpld_linked_object), .name = unit->name, .module_id = module_id};
}

struct other_ids {
    GROWING_ARRAY(const char *, ids);
    GROWING_ARRAY(const struct input_unit *, units); /* the unit of each id */
};

/* Lists the object with its first id, or without an id if it has none, and collects its other
 * ids. */
static void add_host_object(link_context *link, const struct input_unit *unit,
                            struct other_ids *others)
{
    struct bytes rest = unit->host->module_ids, text;
    bool any = false;
    while (host_string_next(&rest, &text)) {
        const char *id = (const char *)text.data;
        if (!module_id_is_own(text))
            continue;
        if (any && !was_linked_before(link, id)) {
            *ARENA_APPEND(&link->arena, others, ids) = id;
            *ARENA_APPEND(&link->arena, others, units) = unit;
        } else if (!any && !was_linked_before(link, id)) {
            list_linked_object(link, unit, id);
        }
        any = true;
    }
    if (!any && !unit->lacks_target)
        list_linked_object(link, unit, NULL);
}

static void list_others(link_context *link, const struct other_ids *others)
{
    for (size_t i = others->ids_count; i-- > 0;)
        list_linked_object(link, others->units[i], others->ids[i]);
}

static bool unit_takes_part(const struct input_unit *unit)
{
    return !unit->is_executable && !(unit->skipped && (unit->is_runtime || !unit->host));
}

void pass_linked_objects(link_context *link)
{
    const struct host_object *last = NULL;
    struct other_ids others = {.ids = NULL};
    for (size_t i = 0; i < link->units_count; i++) {
        const struct input_unit *unit = link->units[i];
        if (!unit_takes_part(unit) || (unit->host && unit->host == last))
            continue;
        last = unit->host;
        if (unit->host)
            add_host_object(link, unit, &others);
        else if (!unit->lacks_target)
            list_linked_object(link, unit, NULL);
    }
    list_others(link, &others);
}

/* See input_passes.h. For a whole program nvlink 13.0.88 lists only host objects, in reverse
 * order. */
void list_objects_of_whole_program(link_context *link)
{
    const struct input_state *input = link->input;
    const struct host_object *last = NULL;
    struct other_ids others = {.ids = NULL};
    for (size_t i = input->intermediates_count; i-- > 0;) {
        const struct input_unit *unit = input->intermediates[i].unit;
        if (!unit->host || unit->host == last)
            continue;
        last = unit->host;
        add_host_object(link, unit, &others);
    }
    list_others(link, &others);
}
