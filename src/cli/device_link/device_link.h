/* The device link of a program for all its targets. It replaces nvcc -dlink, which runs nvlink,
 * fatbinary and a host compiler. */
#ifndef WARPLD_CLI_DEVICE_LINK_DEVICE_LINK_H
#define WARPLD_CLI_DEVICE_LINK_DEVICE_LINK_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/compile/remote_cache.h"
#include "cli/device_link/target_messages.h"
#include "cli/options/options.h"
#include "readable_name/readable_name.h"
#include "warpld.h"

struct device_link {
    struct arena *arena; /* its handler for exhausted memory does not return */
    const struct command_line *line;
    bool called_nvlink;
    struct readable_names *names;
    struct remote_cache *remote;
    struct message_printer printer;

    /* Receives the name of the target that the next messages are about. NULL: the next messages are
     * about the command. */
    void (*begin_target)(void *context, const char *target);

    /* Receives a fatal message of the command. */
    void (*fail)(void *context, const char *code, const char *text);
};

/* Links the program for each target. If all links succeed, writes the output that the command line
 * names. Reports all problems. Returns the worst status of the links and of the output. */
enum warpld_status device_link_run(const struct device_link *link);

#endif
