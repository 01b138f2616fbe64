/* Values of options that take keywords. */
#ifndef WARPLD_CLI_OPTIONS_KEYWORDS_H
#define WARPLD_CLI_OPTIONS_KEYWORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

/* Whether the word is a value that the option accepts. The option must be one that takes
 * keywords. */
bool keyword_is_defined(enum option_id id, const char *word);

/* Returns the text of a note about a word that the option does not accept: the keyword that
 * resembles the word, or all keywords. */
const char *keyword_suggestion(struct arena *arena, enum option_id id, const char *word);

/* Whether warpld accepts a keyword that nvlink 13.0.88 refuses: a target that only CUDA 12 has, or
 * a list of targets. Requires a word for which keyword_is_defined returns true. */
bool keyword_is_unknown_to_nvlink(enum option_id id, const char *word);

/* Returns the ELF machine number (e_machine) for a value of --cpu-arch; 0 for "unknown" and
 * NULL. */
unsigned keyword_machine(const char *word);

/* Returns the value that an option with an optional value has when it is given without a value. */
const char *keyword_default(enum option_id id);

#endif
