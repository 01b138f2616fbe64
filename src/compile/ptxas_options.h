/* Options for ptxas: those that come with PTX in inputs, and those of the command line. */
#ifndef WARPLD_COMPILE_PTXAS_OPTIONS_H
#define WARPLD_COMPILE_PTXAS_OPTIONS_H

#include <stddef.h>

#include "base/arena.h"

struct argument_list {
    GROWING_ARRAY(const char *, arguments);
};

/* Appends the options in `text`, which comes with PTX in an input, if ptxas may get them. Calls
 * `refuse` for all others, except those that the link sets itself. */
void ptxas_options_add(struct argument_list *list, struct arena *arena, const char *text,
                       void (*refuse)(void *context, const char *argument), void *context);

/* Appends the arguments in the texts, which are values of options of the command line. Omits -o,
 * because the link chooses the output file; nvlink ignores -o, too. */
void ptxas_options_add_chosen(struct argument_list *list, struct arena *arena,
                              const char *const *texts, size_t count);

#endif
