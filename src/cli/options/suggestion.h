/* Suggests what the user may have meant by an option that does not exist. */
#ifndef WARPLD_CLI_OPTIONS_SUGGESTION_H
#define WARPLD_CLI_OPTIONS_SUGGESTION_H

#include "base/arena.h"

/* Returns the text of a note about an unknown option, such as "-verbos". The note names a similar
 * option, or another program that has the option. Returns NULL if there is neither. */
const char *option_suggestion(struct arena *arena, const char *argument);

#endif
