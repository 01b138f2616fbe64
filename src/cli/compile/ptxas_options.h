/* Options for ptxas: those that come with PTX in inputs, and those of the command line. */
#ifndef WARPLD_CLI_COMPILE_PTXAS_OPTIONS_H
#define WARPLD_CLI_COMPILE_PTXAS_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

struct argument_list {
    GROWING_ARRAY(const char *, arguments);
};

/* Appends the options of the text that may be passed. Passes all others to `refuse`, except those
 * that the link sets itself. */
void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *argument), void *context);

/* Appends the options of the command line. They follow those of the inputs, because the last of two
 * values wins. */
void ptxas_options_add_chosen(struct argument_list *list, struct arena *arena,
                              const struct command_line *line);

/* The problem with the options for ptxas on the command line, in nvlink's words, or NULL. It
 * matters only if PTX is compiled. */
const char *ptxas_options_problem(const struct command_line *line);

#endif
