/* Link-time optimisation in a separate process, for programs that are linked statically. */
#ifndef WARPLD_COMPILE_OPTIMISER_PROCESS_H
#define WARPLD_COMPILE_OPTIMISER_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "compile/optimiser.h"
#include "compile/process.h"

/* The standard input of the process is a file with the request: strings, each ended by a NUL. The
 * first are the paths of the libraries ("" for none) and the target of libnvvm. The others describe
 * the rest of the job; each of them begins with one of these letters. An empty string is the last.
 * The data of the inputs follow, each at a multiple of OPTIMISER_ALIGNMENT. */
enum optimiser_word {
    OPTIMISER_OPTION = 'o',
    OPTIMISER_OBJECT = 'r', /* the whole string; the code is an object */
    OPTIMISER_PART = 'p',   /* the whole string; the PTX is a part of a program */
    OPTIMISER_KEPT = 'k',   /* followed by address space, size and name, with spaces between */
    OPTIMISER_INPUT = 'i',  /* followed by 1 for a fat binary and 0 for LTO-IR, size and name, with
                               spaces between */
};

enum { OPTIMISER_ALIGNMENT = 64 };

/* The process writes its answer to this descriptor, a pipe: OPTIMISER_STARTS when it has loaded the
 * libraries, and OPTIMISER_CODE when it has the code, followed by the size of the code (a size_t)
 * and the code. It writes messages to its standard error, which is a file. */
enum { OPTIMISER_ANSWER = 3 };
enum optimiser_answer { OPTIMISER_STARTS = 's', OPTIMISER_CODE = 'c' };

/* A process that has answered. It ends by itself. It takes 3 ms to unmap the libraries, and this
 * program goes on meanwhile. */
struct optimiser_process {
    pid_t id; /* 0: none */

    /* For optimiser_process_fault. */
    struct process_result end;
    unsigned seconds;   /* time limit of the last wait, for its answer or for its end */
    const char *failed; /* what could not be done with the program, such as "run"; NULL: nothing */
    int error;          /* why: an errno value */
};

/* Runs the program with the argument --optimise until it has answered. The process is killed if one
 * of the signals `held`, which are blocked in this thread, arrives. If the output has no code, the
 * process has ended. Returns false if memory has run out. In any case optimiser_process_end must be
 * called. */
bool optimise_in_helper(const char *program, const sigset_t *held, const struct optimiser_job *job,
                        struct optimiser_output *output, struct optimiser_process *process);

/* Waits for the end of the process, and sets the CPU time. The process is killed if it does not end
 * within a short time, or if one of the signals `held` arrives. */
void optimiser_process_end(struct optimiser_process *process, const sigset_t *held,
                           struct optimiser_output *output);

/* Describes why there is no code, as a sentence. NULL if the messages of the output say why. */
const char *optimiser_process_fault(struct arena *arena, const char *program,
                                    const struct optimiser_job *job,
                                    const struct optimiser_output *output,
                                    const struct optimiser_process *process);

#endif
