/* Compiler-made constants of unused copies of functions.
 *
 * They are kept in the banks after those of the used copy, though they are never read (nvlink
 * 13.0.88): a block has the used copy's constants, then those of each copy that was discarded
 * later. */
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

/* The chunks of a block that are copied to each bank. With Mercury code these are all chunks,
 * because the two views need them. Without Mercury code the constants of discarded copies are
 * joined into one chunk, which has the object and the input section of the first of them. So the
 * number of chunks in a bank depends on the number of functions, not of copies. */
struct chunk_list discarded_blocks_parts(link_context *link, const struct output_section *block);

/* The chunks that a chunk of a bank was made from: those that were joined into it, or itself. */
struct chunk_list discarded_blocks_joined(const struct chunk *chunk);

/* Fills in the jump tables of discarded copies in kernels' own banks, before blocks are copied
 * there. */
void discarded_blocks_fill(link_context *link);

#endif
