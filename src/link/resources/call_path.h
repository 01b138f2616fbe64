/* Paths through the call graph, for notes that explain the needs of a kernel. */
#ifndef WARPLD_LINK_RESOURCES_CALL_PATH_H
#define WARPLD_LINK_RESOURCES_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct warpld_link;

struct call_step {
    const struct function *function;
    bool through_pointer; /* the function of the previous step calls this one through a pointer */
};

/* The calls that lead from a kernel to a function that it reaches. */
struct call_path {
    GROWING_ARRAY(struct call_step, steps);
};

void call_path_append(struct warpld_link *link, struct call_path *path,
                      const struct function *function, bool through_pointer);

/* A search for the shortest paths from one function to all functions that it reaches. */
struct call_search {
    struct warpld_link *link;
    uint32_t first;
    uint32_t *previous; /* by node of the call graph: 1 + the number of the node that precedes it on
                           the path; 0 if the search has not reached the node */
    uint32_t *queue;    /* the nodes that the search has reached, nearest first */
    uint32_t queue_size;
};

/* Searches from a function. The time is linear in the size of the call graph. */
void call_search_from(struct call_search *search, struct warpld_link *link,
                      const struct function *function);

/* Returns the path to a node; empty if the search did not reach the node. */
struct call_path call_search_path(const struct call_search *search, uint32_t node);

/* Returns the path as a text, such as "'k' -> 'f' -> 'g'". Names are demangled, and the middle of a
 * long path is left out. */
const char *call_path_text(struct warpld_link *link, const struct call_path *path);

/* Reports a note for each step. The note has the amount that the step's function uses itself,
 * without its callees. `amount` returns this amount, and `unit` names its unit. */
typedef uint32_t call_amount(const struct function *function);
void call_path_report(struct warpld_link *link, const struct call_path *path, call_amount *amount,
                      const char *unit);

#endif
