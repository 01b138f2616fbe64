/* The command line of a saved link, with the saved names of its files. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H
#define WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H

#include "base/arena.h"
#include "cli/options/options.h"

/* Paths relative to the folder of the saved link. The index of an input starts at 0. */
const char *saved_input_name(struct arena *arena, size_t index, const char *path);
const char *saved_option_file_name(const struct command_line *line, enum option_id id);
const char *saved_options_file_name(struct arena *arena, size_t index, const char *path);

/* The saved path of a file of --limit; NULL for other arguments, and for limits without a file. */
const char *saved_limits_name(const struct command_line *line,
                              const struct given_argument *argument);

/* The saved path of a library that -l found at this path. Libraries that were found in one folder
 * are saved in one folder. NULL if no search can have found it. */
const char *saved_library_name(const struct command_line *line, const char *path);

/* The folder for copies of the libraries that were found in the searched folder with this index. */
const char *saved_library_folder(struct arena *arena, size_t index);

/* Returns the argument as text if it is an option whose value has quotes, else NULL. An options
 * file cannot hold quotes, neither here nor with nvlink. */
const char *saved_argument_with_quotes(const struct command_line *line,
                                       const struct given_argument *argument);

/* Writes an options file with the same command line, except for options whose values have quotes.
 * Returns 0 or an errno value. */
int saved_arguments_write(const char *path, const struct command_line *line);

#endif
