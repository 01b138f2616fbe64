/* Signals that would end the command without a message. */
#ifndef WARPLD_CLI_FATAL_SIGNALS_H
#define WARPLD_CLI_FATAL_SIGNALS_H

/* From now on a mapped file that has become shorter (SIGBUS) ends the program with a message and
 * status 1. Outputs are not complete then, so an older one remains. A file that becomes too large
 * (SIGXFSZ) and a pipe that nobody reads (SIGPIPE) are errors of the write. `tool` begins the
 * message.
 */
void fatal_signals_report(const char *tool);

#endif
