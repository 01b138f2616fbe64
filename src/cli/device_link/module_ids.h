/* Collects the module ids of the objects that the links of a device link have linked. */
#ifndef WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H
#define WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H

#include <stddef.h>

#include "base/arena.h"
#include "cli/device_link/target_link.h"

struct module_ids {
    GROWING_ARRAY(const char *, list);
};

/* Collects the ids that the host object of nvcc -dlink registers, in the order of linking. They are
 * those of the first link that linked the device runtime or, if none did, of the last link. */
void module_ids_collect(struct module_ids *ids, struct arena *arena,
                        const struct target_link *targets, size_t count);

#endif
