/* One of the links of a device link. It links for one target, with its share of the threads. */
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
    /* Has a handler for exhausted memory. target_link_end destroys the arena. */
    struct arena arena;
    struct command_line line; /* the command's line, in which this target is the only target */
    struct command_compiler compiler;
    struct target_messages messages;
    bool called_nvlink;
    struct pass_measures measures; /* time and memory of each pass, for --stats */
    struct warpld_link *link;      /* NULL if the link could not be created */
    enum warpld_status status;
    struct bytes cubin; /* the output; valid until target_link_end; empty if the link failed */
};

/* Prepares a link for the target with this name. Requires an initialised arena in `target`. `all`
 * and the name must outlive the link. */
void target_link_start(struct target_link *target, const struct device_link *all, const char *name,
                       unsigned threads);

/* Creates the link. Adds to it the inputs of `inputs`, which all targets share, and the libraries
 * that -l names. An input that cannot be added makes the run fail later. If the link cannot be
 * created, sets only the status. */
void target_link_add(struct target_link *target, struct warpld_library *inputs);

/* Stores the status that warpld_run_all has returned for the link. If it is WARPLD_OK, also stores
 * the link's output in `cubin`. */
void target_link_finish(struct target_link *target, enum warpld_status status);

void target_link_end(struct target_link *target);

#endif
