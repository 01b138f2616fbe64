/* Decides whether the output of a damaged input is valid: applies the rules of cubintool verify
 * within this process. */
#ifndef WARPLD_FUZZ_DAMAGE_VERIFY_OUTPUT_H
#define WARPLD_FUZZ_DAMAGE_VERIFY_OUTPUT_H

#include <stddef.h>

#include "base/bytes.h"

/* Called for each violation with the stable name of the rule, the name of the section or "-", and a
 * text that says what is wrong. */
typedef void violation_handler(void *context, const char *rule, const char *section,
                               const char *text);

/* Checks an output of the linker. Calls the handler for each violation; returns their number. */
size_t verify_output(struct bytes output, violation_handler *handler, void *context);

#endif
