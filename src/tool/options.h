/* Parses the command line of cubintool: commands of commands.def, and options of options.def. */
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

/* Returns the command with this name, or NULL. */
const struct tool_command *tool_command_find(const char *spelling);

/* Parses the `count` arguments after the command's name. The array `names` has `count` elements,
 * which `options` refers to: files are stored from its start, names of sections from its end. If an
 * argument is wrong, reports it to stderr and returns false. */
bool tool_options_parse(struct tool_options *options, const struct tool_command *command,
                        char **arguments, size_t count, const char **names);

/* Print the help of one command, and the overview of all commands. */
void tool_print_command_help(const struct tool_command *command);
void tool_print_help(void);

#endif
