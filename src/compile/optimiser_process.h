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
 * first strings are the paths of the libraries ("" for none) and the target of libnvvm. Each
 * further string begins with a letter of enum optimiser_word and describes a part of the job. An
 * empty string ends the list. The data of the inputs follow, each at a multiple of
 * OPTIMISER_ALIGNMENT. */
enum optimiser_word {
    /* An option of nvJitLink follows the letter. */
    OPTIMISER_OPTION = 'o',
    OPTIMISER_OBJECT = 'r', /* nothing follows; the field makes_object of the job is set */
    OPTIMISER_PART = 'p',   /* nothing follows; the field is_part of the job is set */
    /* A kept name: its address space, size and name, with spaces between. */
    OPTIMISER_KEPT = 'k',
    /* An input: 1 for a fat binary or 0 for LTO-IR, its size and its name, with spaces between. */
    OPTIMISER_INPUT = 'i',
};

enum { OPTIMISER_ALIGNMENT = 64 };

/* The process writes its answer to this descriptor, a pipe. It writes OPTIMISER_STARTS when it has
 * loaded the libraries. When it has the code, it writes OPTIMISER_CODE, the size of the code (a
 * size_t), and the code. Messages are written to the standard error of the process, which is a
 * file. */
enum { OPTIMISER_ANSWER = 3 };
enum optimiser_answer { OPTIMISER_STARTS = 's', OPTIMISER_CODE = 'c' };

/* A process that has answered and ends by itself, but needs 3 ms more to unmap the libraries. This
 * program continues meanwhile, and waits for the end of the process in optimiser_process_end. */
struct optimiser_process {
    pid_t id; /* its number; 0 if there is no process */

    /* The other fields are for optimiser_process_fault. */
    struct process_result end;
    unsigned seconds;   /* time limit of the last wait, which was for the answer or for the end */
    const char *failed; /* what this program could not do with the process, e.g. "run"; NULL if
                           nothing failed */
    int error;          /* why `failed` is set: an errno value */
};

/* Runs the program with the argument --optimise until it has answered. The signals `held` are
 * blocked in this thread; if one of them arrives, the process is killed. If the output has no code,
 * the process has ended. Returns false if memory has run out. In any case optimiser_process_end
 * must be called. */
bool optimise_in_helper(const char *program, const sigset_t *held, const struct optimiser_job *job,
                        struct optimiser_output *output, struct optimiser_process *process);

/* Waits for the end of the process, and sets the CPU time. The process is killed if it does not end
 * within a short time, or if one of the signals `held` arrives. */
void optimiser_process_end(struct optimiser_process *process, const sigset_t *held,
                           struct optimiser_output *output);

/* Returns a sentence that says why there is no code; NULL if the messages of the output say it. */
const char *optimiser_process_fault(struct arena *arena, const char *program,
                                    const struct optimiser_job *job,
                                    const struct optimiser_output *output,
                                    const struct optimiser_process *process);

#endif
