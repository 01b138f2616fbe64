/* Saves the files that a link reads, so that the link can be repeated elsewhere. */
#ifndef WARPLD_CLI_SAVE_SAVE_INPUTS_H
#define WARPLD_CLI_SAVE_SAVE_INPUTS_H

#include "base/bytes.h"
#include "cli/options/options.h"
#include "warpld.h"

struct saved_link {
    const struct command_line *line;
    struct warpld_link *link;
    struct bytes host_file;     /* contents of the file of --nv-host */
    struct bytes unified_index; /* contents of the file of --uidx-file */
    const char *called;         /* "nvlink" if the command behaves as nvlink, else "warpld" */
    const char *folder;         /* the folder that save_inputs chose; NULL before */
    const char *failed_path;    /* after a failure: the file that could not be written */
};

/* Saves the inputs of the link, the libraries that it found, the command line, and a script that
 * repeats the link. Returns 0 or an errno value. */
int save_inputs(struct saved_link *saved);

/* Saves thin archives again, as normal archives with their members. Call it after the run, because
 * the run reads the members. Returns 0 or an errno value. */
int save_inputs_of_thin_archives(struct saved_link *saved);

#endif
