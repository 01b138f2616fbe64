/* What the walk over the pieces needs by section: symbols and shared variables. */
#ifndef WARPLD_LINK_INSPECT_PIECE_LISTS_H
#define WARPLD_LINK_INSPECT_PIECE_LISTS_H

#include "link/inspect/pieces.h"
#include "link/model/link_context.h"

/* Fills in the lists of the walk, sorted by section and address, unless they are. */
void piece_lists_make(link_context *link, struct piece_walk *walk);

#endif
