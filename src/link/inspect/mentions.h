/* Finds, for the public interface, which inputs define a symbol and which inputs refer to it. A
 * mention is an entry of an input's symbol table for which the link has a symbol. */
#ifndef WARPLD_LINK_INSPECT_MENTIONS_H
#define WARPLD_LINK_INSPECT_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/model/link_context.h"
#include "warpld.h"

/* A position in the symbol tables of all inputs, from which the search for the next mention
 * continues. If all fields are 0, it is the beginning. */
struct mention_walk {
    size_t next;     /* number of the next mention, from 0 */
    size_t object;   /* index of the object whose symbols are searched */
    uint32_t symbol; /* index of the last visited symbol in the object's symbol table */
};

/* Describes the mention with number `index`. `walk` is the position after the last call, so that
 * ascending indices need only one walk. Returns false if the index is out of range. */
bool describe_mention(link_context *link, struct mention_walk *walk, size_t index,
                      struct warpld_mention *mention);

#endif
