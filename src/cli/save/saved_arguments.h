/* The command line of a saved link, with the names that its files have there. */
#ifndef WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H
#define WARPLD_CLI_SAVE_SAVED_ARGUMENTS_H

#include "base/arena.h"
#include "cli/options/options.h"

/* Paths in the folder of the saved link. The input's index counts from 0. */
const char *saved_input_name(struct arena *arena, size_t index, const char *path);
const char *saved_option_file_name(const struct command_line *line, enum option_id id);
const char *saved_options_file_name(struct arena *arena, size_t index, const char *path);

/* Of what the search for -l found at this path: in a folder that has the number of the one that was
 * searched. NULL when no search can have found it. */
const char *saved_library_name(const struct command_line *line, const char *path);

/* The folder of that number, from 0 on. */
const char *saved_library_folder(struct arena *arena, size_t index);

/* The word of an option whose value has quotes, which an options file cannot hold (as for nvlink);
 * NULL of all others. */
const char *saved_word_with_quotes(const struct command_line *line, const struct given_word *word);

/* Writes an options file that means the same command line, but for those. Returns 0 or an errno
 * value. */
int saved_arguments_write(const char *path, const struct command_line *line);

#endif
