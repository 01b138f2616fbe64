/* Lists the symbols and the shared variables of each section, for the walk over the pieces
 * (pieces.h). */
#ifndef WARPLD_LINK_INSPECT_PIECE_LISTS_H
#define WARPLD_LINK_INSPECT_PIECE_LISTS_H

#include <stdbool.h>

#include "link/inspect/pieces.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether the function has its own code at the beginning of its section. `function` may be NULL. */
static inline bool function_is_own_code(const struct function *function)
{
    return function && function->text && !function->alias_of && !function->is_stub;
}

/* Fills in the lists of the walk, sorted by section and address, if that is not done yet. */
void piece_lists_make(link_context *link, struct piece_walk *walk);

#endif
