/* Signals that would end the command without a message, or hide how its programs end. */
#ifndef WARPLD_CLI_FATAL_SIGNALS_H
#define WARPLD_CLI_FATAL_SIGNALS_H

/* From now on a mapped file that has become shorter (SIGBUS) ends the program with a message and
 * status 1. Outputs are not complete then, so an older one remains. A file that becomes too large
 * (SIGXFSZ) and a pipe that nobody reads (SIGPIPE) are errors of the write. `tool` begins the
 * message. A parent may have ignored SIGCHLD (`trap '' CHLD`); the system would then not keep how
 * ptxas and other programs end.
 */
void fatal_signals_report(const char *tool);

#endif
