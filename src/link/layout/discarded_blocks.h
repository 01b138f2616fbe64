/* Compiler-made constants of functions' copies that lost.
 *
 * They stay in the banks behind those of the copy that is used, though nothing reads them (nvlink
 * 13.0.88): a block is the used copy's constants, then those of each copy that was rejected later.
 */
#ifndef WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H
#define WARPLD_LINK_LAYOUT_DISCARDED_BLOCKS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* What became of the copy of the function that the chunk is of. */
enum copy_state discarded_blocks_copy(const struct chunk *chunk);

/* A list of chunks; what it holds belongs to the link. */
struct chunk_list {
    const struct chunk *first;
    size_t count;
};

/* The block as every bank gets it. Without Mercury code, whose views are told apart chunk by chunk,
 * the rejected copies' constants are one chunk, which names the first of them: a bank has as many
 * chunks as functions, not as copies. */
struct chunk_list discarded_blocks_parts(link_context *link, const struct output_section *block);

/* What a chunk of a bank was made of: itself, or those that were joined. */
struct chunk_list discarded_blocks_joined(const struct chunk *chunk);

/* The jump tables in kernels' own banks, before anything else comes there. */
void discarded_blocks_fill(link_context *link);

#endif
