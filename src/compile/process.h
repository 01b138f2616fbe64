/* Running other programs, without a shell. */
#ifndef WARPLD_COMPILE_PROCESS_H
#define WARPLD_COMPILE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

/* A program to run. One without a slash in its name is searched in PATH. */
struct process_plan {
    const char *const *arguments; /* the program and its arguments, ended by NULL */
    const char *folder;           /* working directory; NULL: the current one */
    const char *messages;    /* file in the folder for its standard error; NULL: our own stream */
    const sigset_t *signals; /* signals blocked in it; NULL: the same as here */
};

/* The name of a file for a program that runs in another folder. */
const char *process_file_name(struct arena *arena, const char *name);

/* Starts the program; returns 0 or an errno value. */
int process_start(const struct process_plan *plan, pid_t *process);

/* Waits until the program ends. Returns false if it fails: does not exit with status 0. That is
 * unknown if this program ignores SIGCHLD. milliseconds (may be NULL) receives its CPU time. */
bool process_wait(pid_t process, double *milliseconds);

enum process_stream { PROCESS_OUTPUT = 1, PROCESS_MESSAGES = 2 };

/* Runs the program to its end without input. Returns what it writes to the stream and discards the
 * other stream. NULL when it could not be run or fails. */
const char *process_read(struct arena *arena, const struct process_plan *plan,
                         enum process_stream stream);

#endif
