/* What a message means and what to do about it: --explain. */
#ifndef WARPLD_CLI_EXPLAIN_EXPLAIN_H
#define WARPLD_CLI_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdio.h>

/* The explanation of a message. The texts are static. For a note of the library, `cause` says when
 * the note is printed or what it means, and `remedy` is NULL. `severity` is an enum severity
 * (base/diagnostic.h), whose values are equal to those of enum warpld_severity. */
struct explained {
    const char *code, *text, *cause, *remedy;
    int severity;
};

/* Describes the message with this code. Returns false if there is no such code. */
bool explain_find(const char *code, struct explained *explained);

/* Prints severity, text, cause and remedy of the message with this code, or of all messages for
 * "all". If there is no such code, prints nothing and returns false. */
bool explain_print(FILE *stream, const char *code);

#endif
