/* The command `warpld`: options in, library calls, text and an exit status out.
 *
 * When the program's name is nvlink its messages begin with that name, so that tools which read
 * nvlink's messages go on working. Exit status, as nvlink's: 0 success, 1 after a fatal message,
 * 255 after errors without one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "warpld.h"

enum { EXIT_FATAL = 1, EXIT_ERRORS = 255 };

struct command {
    const char *name; /* of the tool, as messages call it */
    struct command_line line;
};

static const char *const SEVERITIES[] = {"note", "info", "warning", "error", "fatal"};

/* "nvlink error   : text": the word is padded to eight columns. */
static void print_message(const struct command *command, enum warpld_severity severity,
                          const char *text)
{
    fprintf(stderr, "%s %-8s: %s\n", command->name, SEVERITIES[severity], text);
}

static void print_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    print_message(context, diagnostic->severity, diagnostic->text);
}

static void print_option_problem(void *context, const struct option_problem *problem)
{
    print_message(context, problem->fatal ? WARPLD_FATAL : WARPLD_WARNING, problem->text);
}

static const char *program_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strcmp(name, "nvlink") == 0 ? "nvlink" : "warpld";
}

static int exit_status(enum warpld_status status)
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

/* What must be there before any work, in nvlink's order. */
static const char *missing(const struct command_line *line)
{
    if (!line->values[OPTION_ARCHITECTURE])
        return "Unknown arch name '(null)'";
    if (!line->values[OPTION_OUTPUT])
        return "Must specify output file with -o option";
    if (!line->inputs_count)
        return "No input files specified; use option --help for more information";
    return NULL;
}

static enum warpld_status link_inputs(struct warpld_link *link, const struct command_line *line)
{
    for (size_t i = 0; i < line->inputs_count; i++) {
        enum warpld_status status = warpld_add_file(link, line->inputs[i]);
        if (status != WARPLD_OK)
            return status;
    }
    enum warpld_status status = warpld_run(link);
    return status == WARPLD_OK ? warpld_write(link, line->values[OPTION_OUTPUT]) : status;
}

static int out_of_memory(const struct command *command)
{
    print_message(command, WARPLD_FATAL, "Out of memory");
    return EXIT_FATAL;
}

static int finish(const struct command *command, struct warpld_link *link)
{
    enum warpld_status status = link_inputs(link, &command->line);
    warpld_destroy(link);
    return exit_status(status);
}

/* What nvlink records with -g: inputs, output and options; malloc'ed, NULL when out of memory. */
static char *debug_record(const struct command_line *line)
{
    const char *output = line->values[OPTION_OUTPUT];
    const char *architecture = line->values[OPTION_ARCHITECTURE];
    size_t size = sizeof " -o  -g  -arch  " + strlen(output) + strlen(architecture);
    for (size_t i = 0; i < line->inputs_count; i++)
        size += strlen(line->inputs[i]) + 1;
    char *text = malloc(size), *end = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < line->inputs_count; i++)
        end += sprintf(end, "%s%s", i ? "," : "", line->inputs[i]);
    sprintf(end, " -o %s -g  -arch %s ", output, architecture);
    return text;
}

static int run(struct command *command)
{
    const struct command_line *line = &command->line;
    const char *problem = missing(line);
    if (problem) {
        print_message(command, WARPLD_FATAL, problem);
        return EXIT_FATAL;
    }
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = line->values[OPTION_ARCHITECTURE];
    options.diagnostic = print_diagnostic;
    options.diagnostic_context = command;
    options.verbose = line->given[OPTION_VERBOSE];
    options.warnings_are_errors = line->given[OPTION_WARNINGS_ARE_ERRORS];
    options.suppress_stack_size_warning = line->given[OPTION_NO_STACK_WARNING];
    options.kernels_used = line->kernels_used;
    options.kernels_used_count = line->kernels_used_count;
    char *record = NULL;
    if (line->given[OPTION_DEBUG]) {
        options.debug = true;
        options.recorded_options = record = debug_record(line);
        options.recorded_output = line->values[OPTION_OUTPUT];
    }
    struct warpld_link *link = warpld_create(&options);
    free(record);
    return link ? finish(command, link) : out_of_memory(command);
}

int main(int argc, char **argv)
{
    struct command command = {.name = program_name(argc ? argv[0] : "warpld")};
    int status = EXIT_FATAL;
    if (command_line_parse(&command.line, argc, argv, print_option_problem, &command)) {
        if (command.line.given[OPTION_HELP]) {
            options_print_help(stdout, command.name);
            status = EXIT_SUCCESS;
        } else if (command.line.given[OPTION_VERSION]) {
            printf("warpld %s, the open CUDA device linker\n", warpld_version());
            status = EXIT_SUCCESS;
        } else {
            status = run(&command);
        }
    }
    command_line_free(&command.line);
    return status;
}
