/* The command line of cubintool. Options and commands are in options.def and commands.def. */
#ifndef WARPLD_TOOL_OPTIONS_H
#define WARPLD_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/command/command.h"

struct tool_command {
    const char *spelling;
    tool_command_function *function;
    size_t fewest_files;
    size_t most_files;
    const char *files;
    const char *summary;
    const char *details;
    unsigned bit;
};

/* Returns NULL if there is no command of that name. */
const struct tool_command *tool_command_find(const char *spelling);

/* Parses the arguments after the command's name. `names` has `count` elements: files are stored
 * from its start, names of sections from its end. Returns false after a message to stderr. */
bool tool_options_parse(struct tool_options *options, const struct tool_command *command,
                        char **arguments, size_t count, const char **names);

/* Prints the help of one command, or an overview. */
void tool_print_command_help(const struct tool_command *command);
void tool_print_help(void);

#endif
