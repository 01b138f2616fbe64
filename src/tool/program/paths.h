/* Finds the functions that a function reaches, the paths to them, and the deepest stack. */
#ifndef WARPLD_TOOL_PROGRAM_PATHS_H
#define WARPLD_TOOL_PROGRAM_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tool/program/program.h"

#define NO_FUNCTION UINT32_MAX

/* All functions that one function, the root, reaches. */
struct reach {
    uint32_t root;
    uint32_t *found; /* the root, then the others, nearest first */
    uint32_t count;
    uint32_t *caller; /* for each function: the caller on a shortest path, or NO_FUNCTION */
    bool *has;        /* for each function: whether it is in `found` */
};

void reach_from(struct reach *reach, const struct program *program, uint32_t root,
                struct arena *arena);

/* A path in the call graph: each function calls the next one. */
struct path {
    GROWING_ARRAY(uint32_t, functions);
};

/* Returns a shortest path from the root to `target`. Requires: the root reaches `target`. */
struct path reach_path(const struct reach *reach, uint32_t target, struct arena *arena);

/* Returns a text such as "a -> b -> c". */
const char *path_text(const struct path *path, const struct program *program, struct arena *arena);

/* The chain of calls from a root that needs most stack. If the root reaches a recursion, no chain
 * needs most stack; then the recursion is described instead. */
struct stack_chain {
    struct path chain; /* the chain; with recursion, a path to the first function of `cycle` */
    struct path cycle; /* functions of the recursion in the order of the calls; else empty */
    uint64_t bytes;    /* stack that the chain needs; 0 with recursion */
    bool is_recursive; /* the root reaches a recursion */
    bool lacks_frames; /* the file does not have the frame size of some function in the chain */
};

void stack_chain_find(struct stack_chain *stack, const struct program *program, uint32_t root,
                      struct arena *arena);

#endif
