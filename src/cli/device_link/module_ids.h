/* Collects the module ids of the linked objects after a device link. */
#ifndef WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H
#define WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H

#include <stddef.h>

#include "base/arena.h"
#include "cli/device_link/target_link.h"

struct module_ids {
    GROWING_ARRAY(const char *, list);
};

/* Collects the ids that the host object must register, in the order of linking. They are the ids of
 * the first link that includes the device runtime or, if no link does, of the last link. The host
 * object of nvcc -dlink registers the same ids. */
void module_ids_collect(struct module_ids *ids, struct arena *arena,
                        const struct target_link *targets, size_t count);

#endif
