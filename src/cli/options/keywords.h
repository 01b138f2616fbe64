/* Values of options that take keywords. */
#ifndef WARPLD_CLI_OPTIONS_KEYWORDS_H
#define WARPLD_CLI_OPTIONS_KEYWORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

/* Whether the word is a keyword of the option, which has kind KEYWORD. */
bool keyword_is_defined(enum option_id id, const char *word);

/* Returns the text of a note about a word that is no keyword of the option: the keyword that it
 * resembles, or all of them. */
const char *keyword_suggestion(struct arena *arena, enum option_id id, const char *word);

/* Whether nvlink 13.0.88 refuses a keyword for which keyword_is_defined returns true: a target that
 * only CUDA 12 has, or a list of targets. */
bool keyword_is_unknown_to_nvlink(enum option_id id, const char *word);

/* The e_machine of a value of --cpu-arch; 0 for "unknown" and NULL. */
unsigned keyword_machine(const char *word);

/* The value of an option whose value is optional, if the option is given without one. */
const char *keyword_default(enum option_id id);

#endif
