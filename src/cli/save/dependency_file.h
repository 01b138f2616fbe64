/* The file of --dependency-file. It is a rule for make that lists the files from which an output
 * was made. */
#ifndef WARPLD_CLI_SAVE_DEPENDENCY_FILE_H
#define WARPLD_CLI_SAVE_DEPENDENCY_FILE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "cli/options/options.h"
#include "warpld.h"

struct dependencies {
    struct arena *arena;
    struct name_table files; /* the files that were read, without duplicates */
};

void dependencies_init(struct dependencies *dependencies, struct arena *arena);

/* Adds the inputs of the command line, and the files of --nv-host, --uidx-file and --limit. Does
 * not add options files, because build tools remove them after the link. */
void dependencies_add_line(struct dependencies *dependencies, const struct command_line *line);

/* Adds files that a link has read but the command line does not name: libraries, and members of
 * thin archives. */
void dependencies_add_link(struct dependencies *dependencies, struct warpld_link *link);

/* Writes the file for a single link if --dependency-file is given. Returns the path of the file if
 * it cannot be written, else NULL. */
const char *dependencies_write_for(const struct command_line *line, struct arena *arena,
                                   struct warpld_link *link);

/* Writes a rule for the outputs to the file at `path`. Returns 0 or an errno value. */
int dependencies_write(const struct dependencies *dependencies, const char *path,
                       const char *const *outputs, size_t outputs_count);

#endif
