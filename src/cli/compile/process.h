/* Running other programs, without a shell. */
#ifndef WARPLD_CLI_COMPILE_PROCESS_H
#define WARPLD_CLI_COMPILE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

/* What to run. A program without a slash in its name is looked for in PATH. */
struct process_plan {
    const char *const *words; /* the program and its arguments, ended by NULL */
    const char *folder;       /* in which it runs; NULL: this one */
    const char *messages;     /* file in the folder that takes its messages; NULL: our own stream */
    const sigset_t *signals;  /* that are blocked for it; NULL: as for this one */
};

/* What a program that runs in another folder must call the file. */
const char *process_file_name(struct arena *arena, const char *name);

/* Starts it; 0 or an errno. */
int process_start(const struct process_plan *plan, pid_t *process);

/* Waits for its end. False unless it ended by itself with status 0. milliseconds (may be NULL)
 * receives how long it kept a processor busy. */
bool process_wait(pid_t process, double *milliseconds);

enum process_stream { PROCESS_OUTPUT = 1, PROCESS_MESSAGES = 2 };

/* Runs it to its end without input. What it writes to that stream is the result, what it writes to
 * the other one is lost. NULL when it could not be run or fails. */
const char *process_read(struct arena *arena, const struct process_plan *plan,
                         enum process_stream stream);

#endif
