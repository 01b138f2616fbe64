/* Merges equal compiler-made constants when a kernel's bank overflows.
 *
 * Requires: CONSTANTS_PLACED (the banks), CONSTANTS_SHARED (which may keep them from overflowing).
 * Makes: CONSTANTS_FIT; mutates all .nv.constant2.K and the offsets of the constants in them.
 * Frozen after: CONSTANTS.
 *
 * If bank 2 of any kernel is larger than a bank can be, the pass merges the constants of all
 * kernels: bank 2 of every kernel gets the same common content, without duplicates. If that content
 * does not fit either, the banks do not change, and pass_limits reports the bank that overflows.
 *
 * The common content has the constants of all kernels' banks, beginning with the bank that was
 * created last. Each constant follows the one before it, aligned to its own alignment. The first
 * of several equal constants is kept. Constants of some sizes are not compared: see
 * constant_is_comparable. Tests with two equal constants of every size from 1 to 1024, in sections
 * of alignment 4 to 32, showed which sizes nvlink compares. Order and offsets are exact in 60
 * overflowing programs of up to three objects and five kernels (nvlink 13.0.88).
 *
 * User constants are never merged: the host writes them, so equal ones must remain separate. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "base/trace.h"
#include "format/section_type.h"
#include "link/layout/constant_blocks.h"
#include "link/layout/discarded_blocks.h"
#include "link/layout/layout_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"

/* An entry of deduplication.values. All constants that have the same bytes share one entry. */
struct value {
    struct name name; /* the bytes of the constants */
    bool placed;
    uint64_t offset;             /* in the common content */
    struct constant_piece first; /* the constant that was placed there */
};

/* The state of a chunk that was placed. The same chunk can be in several banks. */
struct placed_chunk {
    /* deduplication.values_moved + 1, as it was when the chunk was placed. As long as values_moved
     * does not change, the pass need not place the chunk again. 0: the pass must place the chunk
     * again for the next bank that has it. */
    uint32_t settled;
    uint64_t last_offset; /* offset of the chunk's last piece */
};

struct deduplication {
    link_context *link;
    struct constant_blocks blocks;
    struct name_table values;
    uint8_t *content;
    uint64_t size;
    uint64_t alignment;
    bool fits;
    uint32_t values_moved;        /* how often the offset of an already placed value changed */
    uint64_t last_offset;         /* offset of the piece that was placed last */
    struct placed_chunk **placed; /* by position of the object, then by index of the section */
};

static bool any_overflows(const link_context *link)
{
    for (size_t i = 0; i < link->output.banks_count; i++) {
        const struct output_section *section = link->output.banks[i];
        if (constant_is_compiler_bank(section) && section->size > CONSTANT_BANK_LIMIT)
            return true;
    }
    return false;
}

bool constant_is_comparable(uint64_t size, uint64_t alignment)
{
    switch (size) {
    case 4:
    case 8:
        return alignment == size;
    case 12:
    case 16:
    case 20:
    case 24:
    case 32:
    case 48:
    case 64:
        return true;
    default:
        return false;
    }
}

static uint64_t append_piece(struct deduplication *state, const struct constant_piece *piece)
{
    uint64_t offset = align_up(state->size, piece->alignment);
    uint64_t end = add_sizes(offset, piece->size);
    if (end > CONSTANT_BANK_LIMIT) {
        state->fits = false;
        return 0;
    }
    if (piece->size)
        memcpy(state->content + offset, constant_piece_bytes(piece), piece->size);
    if (piece->alignment > state->alignment)
        state->alignment = piece->alignment;
    state->size = end;
    return offset;
}

static uint64_t place_value(struct deduplication *state, const struct constant_piece *piece)
{
    struct value *value = name_table_intern_bytes(
        &state->values, (const char *)constant_piece_bytes(piece), piece->size);
    if (!value->placed || value->offset % piece->alignment) {
        state->values_moved += value->placed;
        value->offset = append_piece(state, piece);
        value->placed = true;
        value->first = *piece;
    } else {
        constant_trace_equal(state->link, piece, &value->first);
    }
    return value->offset;
}

/* Places the pieces of a chunk. Returns false if one of the pieces has a size or an alignment for
 * which constants are not compared. This piece is appended to the common content again for each
 * bank that has the chunk. */
static bool place_pieces(struct deduplication *state, const struct chunk *chunk)
{
    struct constant_piece piece;
    bool only_values = true;
    bool has_piece =
        constant_piece_first(&state->blocks, chunk->object, chunk->input->index, &piece);
    while (has_piece && state->fits) {
        bool is_value = constant_is_comparable(piece.size, piece.alignment);
        uint64_t offset = is_value ? place_value(state, &piece) : append_piece(state, &piece);
        constant_piece_move(&state->blocks, &piece, offset);
        state->last_offset = offset;
        only_values &= is_value;
        has_piece = constant_piece_next(&state->blocks, &piece);
    }
    return only_values;
}

static struct placed_chunk *placed_chunk(struct deduplication *state, const struct chunk *chunk)
{
    link_context *link = state->link;
    struct placed_chunk **sections = &state->placed[chunk->object->position];
    if (!*sections)
        *sections =
            ARENA_ARRAY(&link->arena, struct placed_chunk, chunk->object->elf.section_count);
    return &(*sections)[chunk->input->index];
}

static void place_parts(struct deduplication *state, const struct chunk *chunk,
                        struct placed_chunk *placed)
{
    struct chunk_list parts = discarded_blocks_joined(chunk);
    uint32_t values_moved = state->values_moved;
    bool only_values = true;
    for (size_t i = 0; i < parts.count && state->fits; i++)
        only_values &= place_pieces(state, &parts.first[i]);
    placed->settled = only_values && values_moved == state->values_moved ? values_moved + 1 : 0;
    placed->last_offset = state->last_offset;
}

/* Places a chunk, unless it was placed for another bank and no value has moved since then. If the
 * chunk belongs to a discarded copy, symbol 0 gets the offset of the chunk's last piece as its
 * value (observed: see tests/golden/test_many_objects.py). This replaces the value that
 * move_null_symbol in layout_constant.c has set. */
static void place_chunk(struct deduplication *state, const struct chunk *chunk)
{
    struct placed_chunk *placed = placed_chunk(state, chunk);
    if (placed->settled != state->values_moved + 1 || state->link->trace.categories)
        place_parts(state, chunk, placed);
    if (discarded_blocks_copy(chunk) == COPY_DISCARDED)
        state->link->output.null_symbol_value = placed->last_offset;
}

/* Returns false if the object's constants cannot move one by one. A relocation that patches a
 * constant, or that refers to a section of constants that is split, prevents this, because it could
 * not follow the constants. Compilers write no relocations that refer to the section. */
static bool can_move(struct deduplication *state, struct input_object *object)
{
    const struct object_constants *constants = constant_blocks_of(&state->blocks, object);
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        if (section_type_constant_bank(object->elf.sections[i].type) != CONSTANT_BANK_COMPILER)
            continue;
        if (constants->filled[i] ||
            (constants->named[i] && constant_block_is_tiled(&state->blocks, object, i)))
            return false;
    }
    return true;
}

static void place_chunks(struct deduplication *state)
{
    const link_context *link = state->link;
    for (size_t i = 0; i < link->objects_count && state->fits; i++)
        state->fits = can_move(state, link->objects[i]);
    for (size_t i = link->output.sections_count; i-- > 0 && state->fits;) {
        const struct output_section *section = link->output.sections[i];
        for (size_t c = 0; constant_is_compiler_bank(section) && c < section->chunks_count; c++)
            place_chunk(state, &section->chunks[c]);
    }
}

static void share_content(const struct deduplication *state)
{
    link_context *link = state->link;
    for (size_t i = 0; i < link->output.banks_count; i++) {
        struct output_section *section = link->output.banks[i];
        if (!constant_is_compiler_bank(section))
            continue;
        TRACE(&link->trace, TRACE_CONSTANTS_OLD_SIZE, section_name(link, section),
              (unsigned long long)section->size);
        TRACE(&link->trace, TRACE_CONSTANTS_NEW_SIZE, (unsigned long long)state->size);
        output_replace(link, section, (struct bytes){state->content, state->size});
        section->alignment = state->alignment;
    }
}

/* Replaces the content of all compiler banks by the common content if any bank overflows.
 * place_chunks moves symbols even if the common content turns out not to fit. This is harmless,
 * because pass_limits then ends the link. */
void pass_deduplicate(link_context *link)
{
    if (!any_overflows(link) || link->layout->has_relocated_blocks)
        return;
    struct deduplication state = {.link = link, .alignment = 1, .fits = true};
    constant_blocks_init(&state.blocks, link);
    state.placed = ARENA_ARRAY(&link->arena, struct placed_chunk *, link->objects_count);
    state.content = ARENA_ARRAY(&link->arena, uint8_t, CONSTANT_BANK_LIMIT);
    name_table_init(&state.values, &link->arena, sizeof(struct value));
    place_chunks(&state);
    if (state.fits)
        share_content(&state);
    else
        TRACE(&link->trace, TRACE_CONSTANTS_GIVEN_UP);
}
