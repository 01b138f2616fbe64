/* Saves what a link reads, so that it can be repeated elsewhere. */
#ifndef WARPLD_CLI_SAVE_SAVE_INPUTS_H
#define WARPLD_CLI_SAVE_SAVE_INPUTS_H

#include "base/bytes.h"
#include "cli/options/options.h"
#include "warpld.h"

struct saved_link {
    const struct command_line *line;
    struct warpld_link *link;
    struct bytes host_file;     /* of --nv-host */
    struct bytes unified_index; /* of --uidx-file */
    const char *called;         /* the name of this program: nvlink or warpld */
    const char *folder;         /* in which all was put; save_inputs chooses it */
    const char *failed_path;    /* what could not be written, after a failure */
};

/* Writes the inputs that were added to the link, the libraries that were found, the command line
 * and a script. Returns 0 or an errno value. */
int save_inputs(struct saved_link *saved);

/* After the run, which has read what thin archives name. */
int save_inputs_of_thin_archives(struct saved_link *saved);

#endif
