/* The module ids of the objects that the links of a device link have linked. */
#ifndef WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H
#define WARPLD_CLI_DEVICE_LINK_MODULE_IDS_H

#include <stddef.h>

#include "base/arena.h"
#include "cli/device_link/target_link.h"

struct module_ids {
    GROWING_ARRAY(const char *, list);
};

/* Collects those that nvcc's object registers: of the last link, or of the first that linked the
 * device runtime. In the order in which they were linked. */
void module_ids_collect(struct module_ids *ids, struct arena *arena,
                        const struct target_link *targets, size_t count);

#endif
