/* The command line of cubintool; the facts are in options.def and commands.def. */
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

/* NULL when there is no command of that name. */
const struct tool_command *tool_command_find(const char *spelling);

/* Reads what follows the command's name. `room` has `count` elements and receives the files from
 * its front and the names of sections from its back. False after a message to stderr. */
bool tool_options_parse(struct tool_options *options, const struct tool_command *command,
                        char **arguments, size_t count, const char **room);

/* Help for one command, or an overview. */
void tool_print_command_help(const struct tool_command *command);
void tool_print_help(void);

#endif
