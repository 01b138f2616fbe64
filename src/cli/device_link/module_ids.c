/* Collects module ids; see module_ids.h.
 *
 * nvcc runs nvlink once for each target, each time with the same file for --register-link-binaries.
 * nvlink rewrites this file unless it already names the device runtime. The final file therefore
 * has the ids of the first link that includes the runtime or, if there is none, of the last
 * link. */
#include "cli/device_link/module_ids.h"

#include <stdbool.h>
#include <string.h>

#include "cli/device_link/register_file.h"
#include "warpld.h"

static void collect(struct module_ids *ids, struct arena *arena, const struct warpld_link *link)
{
    struct warpld_linked_object object = {.size = sizeof object};
    *ids = (struct module_ids){.list = NULL};
    for (size_t i = 0; warpld_get_linked_object(link, i, &object) == WARPLD_OK; i++)
        *ARENA_APPEND(arena, ids, list) = register_name(arena, &object);
}

static bool have_runtime(const struct module_ids *ids)
{
    for (size_t i = 0; i < ids->list_count; i++)
        if (strstr(ids->list[i], REGISTER_NAME_OF_RUNTIME))
            return true;
    return false;
}

void module_ids_collect(struct module_ids *ids, struct arena *arena,
                        const struct target_link *targets, size_t count)
{
    *ids = (struct module_ids){.list = NULL};
    for (size_t i = 0; i < count && !have_runtime(ids); i++)
        collect(ids, arena, targets[i].link);
}
