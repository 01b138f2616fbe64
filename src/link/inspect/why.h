/* Explains, for the public interface, why a symbol is kept: returns a shortest chain of symbols in
 * which each symbol keeps the next. */
#ifndef WARPLD_LINK_INSPECT_WHY_H
#define WARPLD_LINK_INSPECT_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "link/inspect/call_walk.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct linked_name;

/* The chain that was computed last. */
struct kept_chain {
    const struct linked_name *name; /* name of the kept symbol; NULL if there is no chain yet */
    struct call_walk walk;
    GROWING_ARRAY(struct warpld_step, steps);
};

/* Describes the step with number `index` in the chain that keeps `symbol`. Returns false if the
 * index is out of range. */
bool describe_step(link_context *link, struct kept_chain *chain, const char *symbol, size_t index,
                   struct warpld_step *step);

#endif
