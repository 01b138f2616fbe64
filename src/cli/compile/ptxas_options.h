/* The options for ptxas: those that inputs bring along with PTX, and those of the command line. */
#ifndef WARPLD_CLI_COMPILE_PTXAS_OPTIONS_H
#define WARPLD_CLI_COMPILE_PTXAS_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

struct argument_list {
    GROWING_ARRAY(const char *, words);
};

/* Appends the words of the text that are options to pass on. What is not passed, nor settled by the
 * link anyway, is handed to `refuse`. */
void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *word), void *context);

/* Appends what the command line asks of ptxas; it goes behind what the inputs ask, because the last
 * of two values counts. */
void ptxas_options_add_chosen(struct argument_list *list, struct arena *arena,
                              const struct command_line *line);

/* What the command line cannot ask of ptxas, in nvlink's words; NULL if it asks nothing of the
 * kind. It matters only where PTX is compiled. */
const char *ptxas_options_problem(const struct command_line *line);

#endif
