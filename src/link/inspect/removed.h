/* Lists, for the public interface, what is in the inputs but not in the output, and why. */
#ifndef WARPLD_LINK_INSPECT_REMOVED_H
#define WARPLD_LINK_INSPECT_REMOVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

struct removed_list {
    bool is_made;
    GROWING_ARRAY(struct warpld_removed, things); /* in the order of the inputs */
};

/* Describes the removed thing with number `index`. Returns false if the index is out of range. */
bool describe_removed(link_context *link, struct removed_list *list, size_t index,
                      struct warpld_removed *removed);

/* `symbol` is an index in the object's symbol table. Returns true if the link uses the object's
 * definition, not another copy, and the output contains it. */
bool definition_is_kept(const link_context *link, const struct input_object *object,
                        uint32_t symbol);

#endif
