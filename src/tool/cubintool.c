/* cubintool: reads, compares and checks device ELFs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "tool/command/command.h"
#include "tool/decode/tool_error.h"
#include "tool/options.h"
#include "warpld.h"

/* Flushes standard output and returns the exit status of the command. If a write failed, returns
 * TOOL_EXIT_UNUSABLE instead. */
static int finish(int status)
{
    if (stream_finish(stdout))
        return status;
    tool_error("cannot write to standard output");
    return TOOL_EXIT_UNUSABLE;
}

static int run_command(const struct tool_command *command, char **arguments, size_t count)
{
    struct tool_options options;
    const char **names = calloc(count + 1, sizeof *names);
    if (!names) {
        fputs("cubintool: out of memory\n", stderr);
        return TOOL_EXIT_UNUSABLE;
    }
    int status = TOOL_EXIT_UNUSABLE;
    if (tool_options_parse(&options, command, arguments, count, names)) {
        if (options.help) {
            tool_print_command_help(command);
            status = TOOL_EXIT_OK;
        } else {
            status = command->function(&options);
        }
    }
    free(names);
    return finish(status);
}

static int refuse_command(const char *name)
{
    tool_error("unknown command: %s", name);
    fputs("Try 'cubintool --help'.\n", stderr);
    return TOOL_EXIT_UNUSABLE;
}

/* Prints the help of the command `name`, or of all commands if `name` is NULL. */
static int print_help(const char *name)
{
    const struct tool_command *command = name ? tool_command_find(name) : NULL;
    if (name && !command)
        return refuse_command(name);
    if (command)
        tool_print_command_help(command);
    else
        tool_print_help();
    return finish(TOOL_EXIT_OK);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("Usage: cubintool COMMAND [OPTION]... FILE...\n"
              "Try 'cubintool --help'.\n",
              stderr);
        return TOOL_EXIT_UNUSABLE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
        return print_help(argv[2]);
    if (!strcmp(argv[1], "--version")) {
        printf("cubintool %s\n", WARPLD_VERSION);
        return finish(TOOL_EXIT_OK);
    }
    const struct tool_command *command = tool_command_find(argv[1]);
    if (!command)
        return refuse_command(argv[1]);
    return run_command(command, argv + 2, (size_t)argc - 2);
}
