/* Handles the compiler-made constants of unused copies of functions.
 *
 * Like nvlink 13.0.88, warpld keeps these constants in the banks, although no code reads them. The
 * block of a function begins with the constants of the used copy. The constants of the discarded
 * copies follow, in reading order. */
#ifndef WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H
#define WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* Returns the state of the copy of the function that the chunk's constants belong to. */
enum copy_state discarded_blocks_copy(const struct chunk *chunk);

/* A list of chunks, allocated in the arena of the link. */
struct chunk_list {
    const struct chunk *first;
    size_t count;
};

/* Returns the chunks that layout_constant adds to a bank when it copies a block there.
 *
 * With Mercury code these are all chunks of the block, because each chunk has a counterpart in the
 * Mercury view. Without Mercury code, the constants of all discarded copies are joined into one
 * chunk, which keeps the number of chunks small. The joined chunk has the object and the input
 * section of the first discarded copy. */
struct chunk_list discarded_blocks_parts(link_context *link, const struct output_section *block);

/* Returns the chunks that discarded_blocks_parts joined into this chunk of a bank, or the chunk
 * itself if it was not joined. */
struct chunk_list discarded_blocks_joined(const struct chunk *chunk);

/* Fills in the jump tables of discarded copies of kernels. Must run before other functions' blocks
 * are copied to the banks of these kernels. */
void discarded_blocks_fill(link_context *link);

#endif
