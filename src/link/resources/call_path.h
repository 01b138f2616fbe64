/* Paths through the call graph, for notes that explain why a kernel needs what it needs. */
#ifndef WARPLD_LINK_RESOURCES_CALL_PATH_H
#define WARPLD_LINK_RESOURCES_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct warpld_link;

struct call_step {
    const struct function *function;
    bool through_pointer; /* how the previous step calls it */
};

/* The calls that lead from a kernel to a function that it reaches. */
struct call_path {
    GROWING_ARRAY(struct call_step, steps);
};

void call_path_append(struct warpld_link *link, struct call_path *path,
                      const struct function *function, bool through_pointer);

/* Shortest paths from one function to every function that it reaches. */
struct call_search {
    struct warpld_link *link;
    uint32_t first;
    uint32_t *previous; /* by node of the call graph: 1 + the node before it; 0: not reached */
    uint32_t *queue;    /* the nodes reached, nearest first */
    uint32_t queue_size;
};

/* Linear in the call graph. */
void call_search_from(struct call_search *search, struct warpld_link *link,
                      const struct function *function);

/* The path to a node; empty if the node is not reached. */
struct call_path call_search_path(const struct call_search *search, uint32_t node);

/* "'k' -> 'f' -> 'g'", with demangled names; omits the middle of a long path. */
const char *call_path_text(struct warpld_link *link, const struct call_path *path);

/* Reports a note for each step. It says how much the step's function uses itself. */
typedef uint32_t call_amount(const struct function *function);
void call_path_report(struct warpld_link *link, const struct call_path *path, call_amount *amount,
                      const char *unit);

#endif
