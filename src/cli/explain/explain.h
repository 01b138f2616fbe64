/* What a message means and what helps: --explain. */
#ifndef WARPLD_CLI_EXPLAIN_EXPLAIN_H
#define WARPLD_CLI_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

/* Prints severity, text, cause and remedy of the message with this code, or of all messages for
 * "all". False if there is no such code; nothing is printed then. */
bool explain_print(FILE *stream, const char *code);

#endif
