/* Running other programs, without a shell. */
#ifndef WARPLD_COMPILE_PROCESS_H
#define WARPLD_COMPILE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

/* A program to run. It is searched for in PATH if its name has no slash. */
struct process_plan {
    const char *const *arguments; /* the program and its arguments, ended by NULL */
    const char *folder;           /* working directory; NULL: the current one */
    const char *messages; /* file in the folder for its standard output and standard error; NULL:
                             those of the caller */
    int input;            /* descriptor of its standard input; 0: that of the caller */
    int errors;           /* descriptor of its standard error; 0: as `messages` says */
    int answer;           /* descriptor that becomes the program's descriptor 3; 0: none */
};

/* Makes the name of a file absolute, for a program that runs in another folder. */
const char *process_file_name(struct arena *arena, const char *name);

/* Starts the program in its own process group. No signals are blocked in the program, whatever is
 * blocked in the calling thread. Returns 0 or an errno value. */
int process_start(const struct process_plan *plan, pid_t *process);

/* Blocks some of the signals SIGINT, SIGTERM and SIGHUP in the calling thread: those that would end
 * this program. Sets *held to the blocked signals, and *outside to the signal mask before the call.
 * The caller restores that mask with pthread_sigmask. */
void process_hold_signals(sigset_t *held, sigset_t *outside);

/* Conditions that end a wait before the program has ended. The program's process group is then
 * killed. */
struct process_watch {
    unsigned seconds; /* time limit; 0: none */
    /* Signals that end the wait when one of them is pending. They are blocked in this thread. NULL:
     * none. */
    const sigset_t *signals;
    /* Path of the file with the program's messages. The wait ends if they exceed
     * PROCESS_MOST_MESSAGES. NULL: no limit. */
    const char *messages;
};

/* If a program prints more than PROCESS_MOST_MESSAGES bytes, only the first PROCESS_KEPT_MESSAGES
 * bytes are kept; for ptxas also the last PROCESS_KEPT_MESSAGES bytes. ptxas -v of CUDA 13.0.88
 * prints about 300 bytes for each kernel. */
enum { PROCESS_MOST_MESSAGES = 64 << 20, PROCESS_KEPT_MESSAGES = 1 << 16 };

enum process_end {
    PROCESS_SUCCEEDED,
    PROCESS_FAILED,
    PROCESS_TIMED_OUT,
    PROCESS_PRINTED_TOO_MUCH,
    PROCESS_INTERRUPTED,
};

struct process_result {
    /* SUCCEEDED: the program exited with status 0, or its status is unknown because this program
     * ignores SIGCHLD. */
    enum process_end end;
    int signal;          /* signal that ended the program; 0 if none did */
    int status;          /* exit status; 0 if it did not exit, or if the status is unknown */
    double milliseconds; /* its CPU time */
};

/* Waits until the program ends. */
struct process_result process_wait(pid_t process, const struct process_watch *watch);

/* Closes the descriptor and sets it to -1. Does nothing if it is -1 already. */
void process_close(int *descriptor);

/* Ends the program and all that it started, and waits for its end. */
void process_kill(pid_t process);

/* Describes how the program failed if it crashed, timed out or printed too much, as the end of a
 * sentence: "was ended by signal 11 (Segmentation fault)", "did not end within 60 seconds". NULL if
 * it ended in any other way. */
const char *process_fault(struct arena *arena, const struct process_result *result,
                          const struct process_watch *watch);

/* The state of reading from a pipe to which a program writes. Reading ends when the program closes
 * the pipe, or when the watch ends the wait. */
struct process_reading {
    int descriptor;
    int signals; /* descriptor that reports the signals of `watch`; -1: none */
    const struct process_watch *watch;
    long long start;
    enum process_end end; /* SUCCEEDED until the watch has ended the wait */
};

struct process_reading process_begin_reading(int descriptor, const struct process_watch *watch);

/* Reads `size` bytes. Returns false if there are fewer bytes. */
bool process_read_all(struct process_reading *reading, void *data, size_t size);

/* Ends the reading. Returns PROCESS_SUCCEEDED, or how the watch ended the wait. */
enum process_end process_end_reading(struct process_reading *reading);

enum process_stream { PROCESS_OUTPUT = 1, PROCESS_MESSAGES = 2 };

/* What a program has written. */
struct process_text {
    const char *text; /* in the arena; NULL if the program could not be run, failed, or was ended */
    struct process_result result;
};

/* Runs the program to its end without input. It may write for at most `seconds`, and may then take
 * the same time to end. Returns what it writes to the stream, and discards the other stream. The
 * program is ended if it writes more than `limit` bytes. A signal that ends this program ends the
 * other program first. */
struct process_text process_read(struct arena *arena, const struct process_plan *plan,
                                 enum process_stream stream, unsigned seconds, size_t limit);

/* Like process_read with fixed limits, for a program that answers a question about itself, which
 * takes milliseconds. Returns the text, or NULL. */
const char *process_answer(struct arena *arena, const struct process_plan *plan,
                           enum process_stream stream);

#endif
