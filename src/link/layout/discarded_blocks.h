/* Handles the compiler-made constants of unused copies of functions.
 *
 * Like nvlink 13.0.88, warpld keeps these constants in the banks, although no code reads them. The
 * block of a function has the constants of the used copy first, then those of each copy that was
 * discarded later. */
#ifndef WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H
#define WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* The state of the copy that the chunk comes from. */
enum copy_state discarded_blocks_copy(const struct chunk *chunk);

/* A list of chunks, allocated in the arena of the link. */
struct chunk_list {
    const struct chunk *first;
    size_t count;
};

/* Returns the chunks in which a block is copied to each bank. With Mercury code these are all
 * chunks of the block, because each of them has a counterpart in the Mercury view. Without Mercury
 * code, the constants of all discarded copies are joined into one chunk, which has the object and
 * the input section of the first such copy. So the number of chunks in a bank depends on the number
 * of functions, not of copies. */
struct chunk_list discarded_blocks_parts(link_context *link, const struct output_section *block);

/* Returns the chunks that were joined into a chunk of a bank, or the chunk itself if none were
 * joined. */
struct chunk_list discarded_blocks_joined(const struct chunk *chunk);

/* Fills in the jump tables of discarded copies in kernels' own banks, before blocks are copied
 * there. */
void discarded_blocks_fill(link_context *link);

#endif
