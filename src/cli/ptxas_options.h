/* The options for ptxas that inputs bring along with PTX. */
#ifndef WARPLD_CLI_PTXAS_OPTIONS_H
#define WARPLD_CLI_PTXAS_OPTIONS_H

#include <stdbool.h>

#include "base/arena.h"

struct argument_list {
    GROWING_ARRAY(const char *, words);
};

/* Appends the words of the text that are options to pass on. What is not passed, nor settled by the
 * link anyway, is handed to `refuse`. */
void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *word), void *context);

#endif
