/* Values of options that take keywords. */
#ifndef WARPLD_CLI_OPTIONS_KEYWORDS_H
#define WARPLD_CLI_OPTIONS_KEYWORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/options/options.h"

/* Whether the word is a keyword of the option, which has kind KEYWORD. */
bool keyword_is_defined(enum option_id id, const char *word);

/* Lists the keywords of the option: "auto, always, never". */
const char *keyword_values(struct arena *arena, enum option_id id);

/* Whether nvlink 13.0.88 refuses a keyword that is defined: a target that only CUDA 12 has, or a
 * list of targets. */
bool keyword_is_unknown_to_nvlink(enum option_id id, const char *word);

/* The e_machine of a value of --cpu-arch; 0 for "unknown" and NULL. */
unsigned keyword_machine(const char *word);

/* The value of an option with an optional value that is given without one. */
const char *keyword_default(enum option_id id);

#endif
