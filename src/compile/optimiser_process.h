/* Link-time optimisation in a separate process, for programs that are linked statically. */
#ifndef WARPLD_COMPILE_OPTIMISER_PROCESS_H
#define WARPLD_COMPILE_OPTIMISER_PROCESS_H

#include "compile/optimiser.h"

/* The files in the folder that the process works in. */
#define OPTIMISER_REQUEST  "request"
#define OPTIMISER_CODE     "code"
#define OPTIMISER_MESSAGES "messages"

/* The request is a list of strings, each ended by a NUL: the paths of the libraries ("" for none),
 * the target of libnvvm, and the rest of the job, each with one of these letters before it. */
enum optimiser_word {
    OPTIMISER_OPTION = 'o',
    OPTIMISER_OBJECT = 'r', /* alone: the code is an object */
    OPTIMISER_PART = 'p',   /* alone: the PTX is a part of a program */
    OPTIMISER_KEPT = 'k',   /* followed by address space, size and name, with spaces between */
    OPTIMISER_INPUT = 'i',  /* followed by 1 for a fat binary and 0 for LTO-IR, and the name; the
                               data are in the file of its number */
};

/* Runs the program, which is called with the word --optimise, in a new folder below `temporary`.
 * Signals that end this process wait until the folder is removed. Returns false if memory has run
 * out; other failures are messages. */
bool optimise_in_helper(const char *program, const char *temporary, const struct optimiser_job *job,
                        struct optimiser_output *output);

#endif
