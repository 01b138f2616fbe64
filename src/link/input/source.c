/* The names and units of an input that is being opened; see source.h. */
#include "link/input/source.h"

#include <string.h>

#include "base/arena.h"
#include "link/input/input_state.h"

/* The number of bytes that the names of members may take in memory. In valid archives names add up
 * to much less. In a damaged one, a million members can refer to one long name. */
enum { MOST_NAME_SIZE = 256 << 20 };

const char *source_full_name(link_context *link, const struct source *source)
{
    if (!source->is_member || link->input->name_size > MOST_NAME_SIZE)
        return source->name;
    link->input->name_size += strlen(source->name) + source->member.size + 2;
    return arena_format(&link->arena, "%s:%.*s", source->name, (int)source->member.size,
                        (const char *)source->member.data);
}

struct input_unit *source_add_unit(link_context *link, const struct source *source,
                                   enum unit_kind kind, struct bytes contents)
{
    struct input_unit *unit = ARENA_NEW(&link->arena, struct input_unit);
    *unit = (struct input_unit){
        .name = source_full_name(link, source),
        .contents = contents,
        .kind = kind,
        .is_member = source->is_member,
        .is_of_library = link->input->opens_libraries,
        .hosts_before = link->input->host_object_count,
    };
    unit->is_runtime = strstr(unit->name, "libcudadevrt") != NULL;
    *ARENA_APPEND(&link->arena, link, units) = unit;
    return unit;
}

void source_add_broken(link_context *link, const struct source *source,
                       enum diagnostic_name problem, const char *reason)
{
    struct input_unit *unit = source_add_unit(link, source, UNIT_BROKEN, source->bytes);
    unit->problem = problem;
    unit->reason = reason;
    link->input->has_broken_input = true;
}
