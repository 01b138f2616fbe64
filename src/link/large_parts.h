/* Pieces of the output that are not copied before the file is written. */
#ifndef WARPLD_LINK_LARGE_PARTS_H
#define WARPLD_LINK_LARGE_PARTS_H

#include <stdbool.h>

#include "link/link.h"

/* Whether the chunk is one of them. */
bool large_parts_have(const struct output_section *section, const struct chunk *chunk);

/* Makes the link's list of pieces: the large ones, and what is between them. */
void large_parts_split(link_context *link);

/* Copies them to where they belong, for who wants the result in one piece. */
void large_parts_write(link_context *link);

#endif
