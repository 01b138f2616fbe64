/* The state of the command, its messages and its exit status. */
#ifndef WARPLD_CLI_COMMAND_H
#define WARPLD_CLI_COMMAND_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/compile/remote_cache.h"
#include "cli/messages.h"
#include "cli/options/options.h"
#include "readable_name/readable_name.h"
#include "report/limits.h"
#include "warpld.h"

/* nvlink's exit statuses. */
enum { EXIT_FATAL = 1, EXIT_ERRORS = 255 };

struct command {
    struct arena arena;
    struct command_line line;
    struct readable_names names;
    struct messages messages;
    struct limits limits;        /* the limits that --limit sets */
    struct remote_cache *remote; /* the cache that --cache-url names; NULL: none */
    GROWING_ARRAY(struct option_problem, problems); /* problems of the command line */
    /* the program was started by the name nvlink; --as does not change this field */
    bool is_named_nvlink;
    bool called_nvlink; /* the program behaves as nvlink, because of its name, --as or WARPLD_AS */
    bool has_lost_output; /* some text could not be written, and a message has reported this */
};

/* The program's name for its messages: "nvlink" if the program behaves as nvlink, else "warpld".
 * --tool-name does not change this name. */
const char *command_name(const struct command *command);

/* Prints a message. The text can quote names of the command line, so its control characters are
 * shown as escapes. */
void command_print(struct command *command, enum warpld_severity severity, const char *code,
                   const char *text);

/* Prints a fatal message with command_print. Always returns false. */
bool command_fail(struct command *command, const char *code, const char *text);

/* Prints a fatal message about a file that cannot be written. Returns WARPLD_ERROR_OUTPUT. */
enum warpld_status command_fail_to_write(struct command *command, const char *path);

/* Reports that text could not be written to the target: "standard output" or "file 'F'". A program
 * that behaves as nvlink reports nothing, because nvlink does not notice when it cannot write the
 * text of --help or -time to /dev/full. */
void command_report_lost_output(struct command *command, const char *target);

int command_exit_status(enum warpld_status status);

#endif
