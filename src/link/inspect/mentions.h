/* Which inputs define and which inputs refer to each symbol, for the public interface. A mention is
 * an entry of an input's symbol table for which the link has a symbol. */
#ifndef WARPLD_LINK_INSPECT_MENTIONS_H
#define WARPLD_LINK_INSPECT_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/model/link_context.h"
#include "warpld.h"

/* A position in the symbol tables of the inputs. If all fields are 0, it is the beginning. */
struct mention_walk {
    size_t next;     /* number of the next mention */
    size_t object;   /* index of the object in which the search for that mention continues */
    uint32_t symbol; /* index in its symbol table of the symbol after which the search continues */
};

/* Describes the mention with that index. Returns false if the index is out of range. */
bool describe_mention(link_context *link, struct mention_walk *walk, size_t index,
                      struct warpld_mention *mention);

#endif
