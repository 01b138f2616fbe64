/* Saves the files that a link reads, so that the link can be repeated elsewhere. */
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
    const char *folder;         /* the folder of the saved link, chosen by save_inputs */
    const char *failed_path;    /* the file that could not be written, after a failure */
};

/* Saves the inputs of the link, the libraries found, the command line and a script. Returns 0 or an
 * errno value. */
int save_inputs(struct saved_link *saved);

/* Saves the members of thin archives; call it after the run, which has read them. */
int save_inputs_of_thin_archives(struct saved_link *saved);

#endif
