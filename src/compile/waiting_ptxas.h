/* A ptxas that is started before its text exists, and waits for it.
 *
 * ptxas 13.0.88 prepares itself before it opens its input. That takes 10 ms, a third of its time
 * for a small text. Here the input is a symbolic link to the standard input of ptxas, a pipe. So
 * ptxas prepares itself, opens the pipe and waits for the text. When it has read the pipe to its
 * end, it opens its input a second time. By then a file with the text has replaced the symbolic
 * link. */
#ifndef WARPLD_COMPILE_WAITING_PTXAS_H
#define WARPLD_COMPILE_WAITING_PTXAS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "compile/process.h"
#include "compile/temporary_folder.h"

struct waiting_ptxas {
    struct temporary_folder folder;
    int source; /* end of the pipe to write to; -1: it is closed */
    int input;  /* end of the pipe for ptxas; -1: it is closed */
    pid_t process;
    bool runs;
};

/* Creates the folder in `temporary`, and the pipe. From then on, signals that end this program are
 * blocked, until the same thread calls waiting_ptxas_end, which must be called in any case. */
bool waiting_ptxas_prepare(struct waiting_ptxas *ptxas, const char *temporary);

/* Starts the program in `arguments`, the last of which must be PTXAS_SOURCE. */
bool waiting_ptxas_start(struct waiting_ptxas *ptxas, const char *const *arguments);

/* Passes the text. Returns false if that is not possible, as with a text that is larger than a pipe
 * can hold. Requires: SIGPIPE is ignored. */
bool waiting_ptxas_give(struct waiting_ptxas *ptxas, struct bytes text);

/* Waits until the program ends. */
struct process_result waiting_ptxas_wait(struct waiting_ptxas *ptxas, unsigned seconds);

/* Ends the program if it still runs, and removes the folder. */
void waiting_ptxas_end(struct waiting_ptxas *ptxas);

#endif
