/* One link of a device link: for one target, on one thread. */
#ifndef WARPLD_CLI_DEVICE_LINK_TARGET_LINK_H
#define WARPLD_CLI_DEVICE_LINK_TARGET_LINK_H

#include "base/arena.h"
#include "base/bytes.h"
#include "cli/compile/compiler.h"
#include "cli/device_link/device_link.h"
#include "cli/device_link/target_messages.h"
#include "cli/inspect/statistics.h"
#include "cli/options/options.h"
#include "warpld.h"

struct target_link {
    struct arena arena;       /* has a handler for exhausted memory; target_link_end destroys it */
    struct command_line line; /* that of the command, with this target alone */
    struct command_compiler compiler;
    struct target_messages messages;
    bool called_nvlink;
    struct pass_measures measures; /* of --stats */
    struct warpld_link *link;      /* NULL if it was not created */
    enum warpld_status status;
    struct bytes cubin; /* valid until target_link_end; empty after a failure */
};

/* Prepares a link for the target with this name. Requires: the arena of `target` is initialised.
 * `all` and the name must outlive the link. */
void target_link_start(struct target_link *target, const struct device_link *all, const char *name,
                       unsigned threads);

/* Creates the link, adds the inputs of `inputs`, which several targets share, and searches for the
 * libraries of the command line. An input that cannot be added makes the run fail later. If no link
 * can be created, sets only the status. */
void target_link_add(struct target_link *target, struct warpld_library *inputs);

/* Stores the link's output in `cubin` if warpld_run_all has returned WARPLD_OK for the link, and
 * stores its status. */
void target_link_finish(struct target_link *target, enum warpld_status status);

void target_link_end(struct target_link *target);

#endif
