/* Splits the blocks of compiler-made constants in the inputs into single constants.
 *
 * ptxas gives each literal and each jump table of a function a symbol (`F.const_opt.8.16`), and
 * stores them one after the other in the function's block, `.nv.constant2.F`. A block is split at
 * its symbols only if they cover all its bytes in this way, without overlap. Otherwise the whole
 * block is one piece, so that no byte is left out. */
#ifndef WARPLD_LINK_LAYOUT_CONSTANT_BLOCKS_H
#define WARPLD_LINK_LAYOUT_CONSTANT_BLOCKS_H

#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/layout/layout_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* What the symbols and relocations of one object say about its blocks. */
struct object_constants {
    uint32_t *first; /* by section: the index of its first used symbol; 0 if there is none */
    uint32_t *next;  /* by symbol: the next used symbol of the same section; 0 if there is none */
    bool *named; /* by section: true if a relocation refers to the section itself, not to a symbol
                    in it */
    uint64_t **filled; /* by section: a bit for each word, set if a relocation fills the word; NULL
                          if none does */
};

struct constant_blocks {
    link_context *link;
    struct object_constants *objects; /* by position of the object; computed on first use */
};

void constant_blocks_init(struct constant_blocks *blocks, link_context *link);

const struct object_constants *constant_blocks_of(struct constant_blocks *blocks,
                                                  struct input_object *object);

/* True if the symbols cover the whole block, one after the other and without gaps, as in blocks
 * that the compiler writes. */
bool constant_block_is_tiled(struct constant_blocks *blocks, struct input_object *object,
                             uint32_t section);

/* A part of a block that is placed separately: one constant, or the whole block if it is not
 * split. */
struct constant_piece {
    struct input_object *object;
    uint32_t section;
    uint32_t symbol; /* index in the object's symbol table; 0 if the piece is a whole section */
    uint64_t offset; /* in the input section */
    uint64_t size;
    uint64_t alignment; /* alignment of the input section */
};

/* Describes a whole block as one piece. */
void constant_piece_whole(struct input_object *object, uint32_t section,
                          struct constant_piece *piece);

/* constant_piece_first finds the first piece of a block; constant_piece_next replaces a piece by
 * the next one in the block. They return false if there is no such piece. */
bool constant_piece_first(struct constant_blocks *blocks, struct input_object *object,
                          uint32_t section, struct constant_piece *piece);
bool constant_piece_next(struct constant_blocks *blocks, struct constant_piece *piece);

static inline const uint8_t *constant_piece_bytes(const struct constant_piece *piece)
{
    return piece->object->elf.sections[piece->section].data + piece->offset;
}

/* True if relocations write bytes of the piece, so that the final bytes are not known yet. */
bool constant_piece_is_filled(struct constant_blocks *blocks, const struct constant_piece *piece);

/* Sets the values of a piece's symbols for `offset`, the piece's new offset in the banks. */
void constant_piece_move(struct constant_blocks *blocks, const struct constant_piece *piece,
                         uint64_t offset);

/* Traces that two constants of 4 or 8 bytes are equal. */
void constant_trace_equal(link_context *link, const struct constant_piece *piece,
                          const struct constant_piece *first);

/* Returns the size of the largest load, up to 16 bytes, that code may do at this offset. The
 * alignment of this offset in the input and the size of the constant limit the load. */
uint64_t constant_largest_access(const struct elf_section *section, uint64_t offset, uint64_t size);

/* Whether --remove-unused-constants removes the constant, because no kept code or data refers to
 * it; see unused_constants.c. */
static inline bool constant_is_unused(const link_context *link, const struct symbol *symbol)
{
    return link->layout->has_unused_constants && !symbol->referred;
}

/* Removes a constant. Debug information that refers to it gets the address -1, as for shared memory
 * of removed kernels. */
void constant_remove(link_context *link, struct symbol *symbol);

static inline bool constant_is_compiler_bank(const struct output_section *section)
{
    return section->bank == CONSTANT_BANK_COMPILER && section->owner && !section->dropped;
}

/* True if nvlink looks for equal constants of this size and alignment. nvlink compares only
 * constants that have the size of a literal or of a vector of literals. */
bool constant_is_comparable(uint64_t size, uint64_t alignment);

#endif
