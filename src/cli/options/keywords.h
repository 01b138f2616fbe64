/* The values of options that take one of a few words. */
#ifndef WARPLD_CLI_OPTIONS_KEYWORDS_H
#define WARPLD_CLI_OPTIONS_KEYWORDS_H

#include <stdbool.h>

#include "cli/options/options.h"

/* Whether an option of kind KEYWORD knows the word. */
bool keyword_is_defined(enum option_id id, const char *word);

/* The e_machine of a value of --cpu-arch; 0 for "unknown" and NULL. */
unsigned keyword_machine(const char *word);

/* What an option that needs no value means without one. */
const char *keyword_default(enum option_id id);

#endif
