/* Sets the actions of signals whose inherited actions are not suitable: some would end the command
 * without a message, others would hide errors. */
#ifndef WARPLD_CLI_FATAL_SIGNALS_H
#define WARPLD_CLI_FATAL_SIGNALS_H

/* Sets the actions of four signals; messages begin with `tool`.
 *
 * SIGBUS, after a read from a mapped file that has become shorter, ends the program with a message
 * and status 1. No output is complete at that time, so an older output file remains.
 *
 * SIGXFSZ (a file becomes too large) and SIGPIPE (nobody reads a pipe) are ignored, so that the
 * write fails with an error.
 *
 * SIGCHLD gets its default action. A parent may have ignored it (`trap '' CHLD`). The system would
 * then not record how ptxas and other programs end. */
void fatal_signals_report(const char *tool);

#endif
