/* The command line; the options are in options.def. */
#ifndef WARPLD_CLI_OPTIONS_H
#define WARPLD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum option_id {
#define OPTION(id, long_name, short_name, argument, value, help) OPTION_##id,
#include "cli/options.def"
#undef OPTION
    OPTION_COUNT,
};

/* What the command line says. Strings point into argv; lists belong to the structure. */
struct command_line {
    bool given[OPTION_COUNT];
    const char *values[OPTION_COUNT]; /* of VALUE options */
    const char **kernels_used;
    size_t kernels_used_count;
    const char **inputs;
    size_t inputs_count;
    char *storage; /* of split lists */
};

/* How a command line can be wrong. */
struct option_problem {
    char text[512];
    bool fatal; /* else a warning, and parsing went on */
};
typedef void option_problem_handler(void *context, const struct option_problem *problem);

/* False after a fatal problem. command_line_free is due either way. */
bool command_line_parse(struct command_line *line, int argc, char **argv,
                        option_problem_handler *handler, void *context);
void command_line_free(struct command_line *line);

void options_print_help(FILE *stream, const char *program);

#endif
