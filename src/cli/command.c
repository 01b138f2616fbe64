/* Messages and exit status of the command; see command.h. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/terminal_text.h"

const char *command_name(const struct command *command)
{
    return command->called_nvlink ? "nvlink" : "warpld";
}

void command_print(struct command *command, enum warpld_severity severity, const char *code,
                   const char *text)
{
    const char *shown = terminal_text_show(&command->arena, text);
    if (severity == WARPLD_NOTE)
        messages_print_note(&command->messages, code, shown);
    else
        messages_print(&command->messages, severity, code, shown);
}

bool command_fail(struct command *command, const char *code, const char *text)
{
    command_print(command, WARPLD_FATAL, code, text);
    return false;
}

enum warpld_status command_fail_to_write(struct command *command, const char *path)
{
    command_fail(command, "output-unwritable",
                 arena_format(&command->arena, "Could not open output file '%s'", path));
    return WARPLD_ERROR_OUTPUT;
}

void command_report_lost_output(struct command *command, const char *target)
{
    if (command->called_nvlink)
        return;
    command_fail(command, "output-lost",
                 arena_format(&command->arena, "Cannot write to %s", target));
    command->has_lost_output = true;
}

int command_exit_status(enum warpld_status status)
{
    switch (status) {
    case WARPLD_OK:
        return EXIT_SUCCESS;
    case WARPLD_ERROR_LINK:
        return EXIT_ERRORS;
    default:
        return EXIT_FATAL;
    }
}
