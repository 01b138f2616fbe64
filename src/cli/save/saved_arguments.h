/* The command line of a saved link. In it, saved names replace the names of files. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H
#define WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H

#include "base/arena.h"
#include "cli/options/options.h"

/* These functions return paths relative to the folder of the saved link: of an input, of the file
 * of --nv-host or --uidx-file, and of an options file. The indices start at 0. */
const char *saved_input_name(struct arena *arena, size_t index, const char *path);
const char *saved_option_file_name(const struct command_line *line, enum option_id id);
const char *saved_options_file_name(struct arena *arena, size_t index, const char *path);

/* Returns the saved path of a file of --limit. Returns NULL for other arguments, and for a limit
 * without a file. */
const char *saved_limits_name(const struct command_line *line,
                              const struct given_argument *argument);

/* Returns the saved path of a library that -l found at this path. Libraries from one folder are
 * saved in one folder. Returns NULL if the library is not directly in a searched folder. */
const char *saved_library_name(const struct command_line *line, const char *path);

/* Returns the folder for saved libraries that were found in the searched folder with this index. */
const char *saved_library_folder(struct arena *arena, size_t index);

/* Returns the argument as text if it is an option whose value has double quotes, else NULL. An
 * options file cannot hold such a value, neither here nor with nvlink. */
const char *saved_argument_with_quotes(const struct command_line *line,
                                       const struct given_argument *argument);

/* Writes the command line to an options file, except for options whose values have double quotes.
 * Returns 0 or an errno value. */
int saved_arguments_write(const char *path, const struct command_line *line);

#endif
