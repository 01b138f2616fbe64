/* Explains, for the public interface, which functions and variables make a kernel use its
 * registers, stack and shared memory. */
#ifndef WARPLD_LINK_INSPECT_NEEDS_H
#define WARPLD_LINK_INSPECT_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "link/inspect/call_walk.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct function;
struct piece_walk;

/* The answer to the last query: the kernel, the resource, and the parts of the kernel's need. */
struct need_list {
    const struct function *kernel; /* the kernel of the last query; NULL if there was none */
    enum warpld_resource resource;
    struct call_walk walk;
    GROWING_ARRAY(struct warpld_need, parts);
    /* For each strongly connected component: the function with the most registers among those that
     * the component reaches. The array is NULL until it is needed. */
    const struct function **most_registers;
};

/* Describes one part of the kernel's need for a resource. If the last query was about the same
 * kernel and resource, its list is used again. Returns false if the index is out of range. */
bool describe_need(link_context *link, struct need_list *list, struct piece_walk *pieces,
                   const struct function *kernel, enum warpld_resource resource, size_t index,
                   struct warpld_need *need);

/* Returns the function whose register count the kernel inherits. Returns NULL if the kernel's own
 * code needs that many registers, or if no reached function has this count. */
const struct function *register_raiser(link_context *link, struct need_list *list,
                                       const struct function *kernel);

#endif
