/* The file of --dependency-file: which files an output was made from, in the format of make. */
#ifndef WARPLD_CLI_SAVE_DEPENDENCY_FILE_H
#define WARPLD_CLI_SAVE_DEPENDENCY_FILE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "cli/options/options.h"
#include "warpld.h"

struct dependencies {
    struct arena *arena;
    struct name_table files; /* each once */
};

void dependencies_init(struct dependencies *dependencies, struct arena *arena);

/* Adds the inputs of the command line, and the files of --nv-host, --uidx-file and --limit. Options
 * files are left out, because build tools remove them after the link. */
void dependencies_add_line(struct dependencies *dependencies, const struct command_line *line);

/* Adds the files that a link has read: libraries, and members of thin archives. */
void dependencies_add_link(struct dependencies *dependencies, struct warpld_link *link);

/* Writes the file of a single link if the line asks for it. Returns its path if it cannot be
 * written, else NULL. */
const char *dependencies_write_for(const struct command_line *line, struct arena *arena,
                                   struct warpld_link *link);

/* Writes the file. Returns 0 or an errno value. */
int dependencies_write(const struct dependencies *dependencies, const char *path,
                       const char *const *outputs, size_t outputs_count);

#endif
