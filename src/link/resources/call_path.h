/* Ways through the call graph, for notes that say how a kernel comes to need what it needs. */
#ifndef WARPLD_LINK_RESOURCES_CALL_PATH_H
#define WARPLD_LINK_RESOURCES_CALL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct warpld_link;

struct call_step {
    const struct function *function;
    bool through_pointer; /* how the step before calls it */
};

/* From a kernel, step by step, to what it reaches. */
struct call_path {
    GROWING_ARRAY(struct call_step, steps);
};

void call_path_append(struct warpld_link *link, struct call_path *path,
                      const struct function *function, bool through_pointer);

/* Shortest ways from one function to all that it reaches. */
struct call_search {
    struct warpld_link *link;
    uint32_t first;
    uint32_t *previous; /* by node of the call graph: 1 + the node before it; 0 not reached */
    uint32_t *queue;    /* those that are reached, the nearest first */
    uint32_t queue_size;
};

/* Linear in the call graph. */
void call_search_from(struct call_search *search, struct warpld_link *link,
                      const struct function *function);

/* The way to a node that was reached; empty when it was not. */
struct call_path call_search_path(const struct call_search *search, uint32_t node);

/* "'k' -> 'f' -> 'g'", with readable names; the middle of a long way is left out. */
const char *call_path_text(struct warpld_link *link, const struct call_path *path);

/* One note for each step with what the function itself uses of something. */
typedef uint32_t call_amount(const struct function *function);
void call_path_report(struct warpld_link *link, const struct call_path *path, call_amount *amount,
                      const char *unit);

#endif
