/* Sets the actions of signals. By default some would end the command without a message. An ignored
 * SIGCHLD would hide from it how ptxas and other programs end. */
#ifndef WARPLD_CLI_FATAL_SIGNALS_H
#define WARPLD_CLI_FATAL_SIGNALS_H

/* From now on the program ends with a message and status 1 if it reads a mapped file that has
 * become shorter (SIGBUS). No output is complete at that time, so an older output file remains. If
 * a file becomes too large (SIGXFSZ) or nobody reads a pipe (SIGPIPE), the write fails with an
 * error. A parent may have ignored SIGCHLD (`trap '' CHLD`), and the system would then not record
 * how ptxas and other programs end, so the default is restored. Messages begin with `tool`. */
void fatal_signals_report(const char *tool);

#endif
