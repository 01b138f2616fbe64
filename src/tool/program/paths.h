/* What a function reaches through calls, along which path, and its deepest stack. */
#ifndef WARPLD_TOOL_PROGRAM_PATHS_H
#define WARPLD_TOOL_PROGRAM_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tool/program/program.h"

#define NO_FUNCTION UINT32_MAX

/* All that one function reaches. */
struct reach {
    uint32_t root;
    uint32_t *found; /* the root, then the others, nearest first */
    uint32_t count;
    uint32_t *caller; /* by function: its caller on a shortest path; NO_FUNCTION for the root */
    bool *has;        /* by function: true if it is in `found` */
};

void reach_from(struct reach *reach, const struct program *program, uint32_t root,
                struct arena *arena);

/* Functions in the order of the calls. */
struct path {
    GROWING_ARRAY(uint32_t, functions);
};

/* A shortest path from the root to a function that it reaches, both included. */
struct path reach_path(const struct reach *reach, uint32_t target, struct arena *arena);

/* "a -> b -> c" */
const char *path_text(const struct path *path, const struct program *program, struct arena *arena);

/* The chain of calls that needs most stack. */
struct stack_chain {
    struct path chain; /* begins at the root; with recursion, ends at the first of `cycle` */
    struct path cycle; /* functions of the recursion in the order of the calls; or empty */
    uint64_t bytes;    /* stack that the chain needs */
    bool is_recursive; /* the root reaches a cycle of calls, so no chain is the deepest */
    bool lacks_frames; /* the file does not give the frame size of a function in the chain */
};

void stack_chain_find(struct stack_chain *stack, const struct program *program, uint32_t root,
                      struct arena *arena);

#endif
