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
    struct limits limits;                           /* of --limit */
    struct remote_cache *remote;                    /* of --cache-url */
    GROWING_ARRAY(struct option_problem, problems); /* problems found while parsing the line */
    bool is_named_nvlink; /* the program was started as nvlink, whatever --as says */
    bool called_nvlink;   /* it behaves as nvlink, because of its name, --as or WARPLD_AS */
    bool has_lost_output; /* text could not be written, which was reported */
};

/* The name of the program itself, whatever --tool-name says. */
const char *command_name(const struct command *command);

/* Reports a message that quotes names of the command line. Control characters in it are
 * replaced. */
void command_print(struct command *command, enum warpld_severity severity, const char *code,
                   const char *text);

/* Reports a fatal message as command_print does. Returns false. */
bool command_fail(struct command *command, const char *code, const char *text);

/* Reports a file that cannot be written. Returns WARPLD_ERROR_OUTPUT. */
enum warpld_status command_fail_to_write(struct command *command, const char *path);

/* Reports that text could not be written to the target, "standard output" or "file 'F'". When the
 * program is called nvlink, nothing is reported: nvlink does not notice that --help or -time cannot
 * be written to /dev/full. */
void command_report_lost_output(struct command *command, const char *target);

int command_exit_status(enum warpld_status status);

#endif
