/* With --merge-constants, merges equal compiler-made constants of a kernel. With
 * --remove-unused-constants, removes compiler-made constants that nothing refers to.
 *
 * Requires: CONSTANTS_PLACED (the banks), CONSTANTS_MARKED (which constants are removed).
 * Makes: CONSTANTS_SHARED; if no bank would grow and at least one would shrink, mutates all
 * .nv.constant2.K and the offsets of the constants in them; otherwise changes nothing.
 * Frozen after: nothing more.
 *
 * If a bank still overflows after this pass, pass_deduplicate handles the bank.
 *
 * A constant has the same offset in the banks of all kernels that reach its function, because the
 * function's code contains the offset. Two equal constants are merged if some kernel has both. Each
 * kernel that had one of the two then has the merged constant. Constants of many kernels are placed
 * first, so that constants of few kernels can follow without gaps. A constant that a relocation
 * fills is not compared. From sm_100 on, all compiler-made constants are jump tables, which
 * relocations fill. So the pass does nothing there.
 *
 * nvlink 13.0.88 has neither of the two options. When a bank overflows, it merges constants as
 * deduplicate.c describes. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/layout/constant_blocks.h"
#include "link/layout/layout_constant.h"
#include "link/layout/layout_state.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* A constant of an input. Merged constants form a tree. The root of the tree stands for the merged
 * constant: its fields have the banks, the alignment and the offset. */
struct shared_piece {
    struct constant_piece piece;
    uint32_t parent; /* index in `pieces` of the parent in the tree; a root has its own index */
    uint32_t banks_count;
    size_t banks_start; /* index in `homes` of the first bank that contains the constant */
    uint32_t last_bank; /* for count_banks: number + 1 of the bank that it counted last */
    uint64_t alignment;
    uint64_t old_offset; /* before the merge, in the first bank that contains the constant */
    uint64_t offset;
};

/* The range of an input section's constants in sharing.pieces. */
struct shared_block {
    uint32_t first;
    uint32_t count;
    bool known;
};

struct shared_bank {
    struct output_section *section;
    size_t first; /* sharing.members has the bank's pieces, from index `first` up to `end` */
    size_t end;
    uint64_t size;
    uint64_t alignment;
};

/* An entry of sharing.values: the constant with these bytes that unite_equal visited last, and the
 * bank that contains this constant. */
struct shared_value {
    struct name name;
    size_t bank; /* number of the bank + 1 */
    uint32_t piece;
};

struct sharing {
    link_context *link;
    struct constant_blocks inputs;
    struct shared_block **blocks; /* by position of the object, then by index of the section */
    struct name_table values;
    GROWING_ARRAY(struct shared_piece, pieces);
    GROWING_ARRAY(struct symbol *, unused);
    GROWING_ARRAY(struct shared_bank, banks);
    GROWING_ARRAY(uint32_t, members);
    uint32_t *homes;
};

/* --------------------------------------------------------------------------------------------- */
/* Contents of the banks                                                                         */

static bool piece_is_wanted(const struct sharing *state, const struct constant_piece *piece)
{
    return !piece->symbol ||
           !constant_is_unused(state->link, piece->object->symbols[piece->symbol]);
}

static void add_piece(struct sharing *state, const struct constant_piece *piece,
                      uint64_t block_offset)
{
    link_context *link = state->link;
    const struct elf_section *section = &piece->object->elf.sections[piece->section];
    struct shared_piece *shared = ARENA_APPEND(&link->arena, state, pieces);
    shared->piece = *piece;
    shared->parent = (uint32_t)(state->pieces_count - 1);
    shared->old_offset = block_offset + piece->offset;
    shared->alignment = piece->symbol ? constant_largest_access(section, piece->offset, piece->size)
                                      : piece->alignment;
}

static void read_pieces(struct sharing *state, const struct chunk *chunk)
{
    link_context *link = state->link;
    struct input_object *object = chunk->object;
    uint32_t section = chunk->input->index;
    struct constant_piece piece;
    if (constant_blocks_of(&state->inputs, object)->named[section]) {
        constant_piece_whole(object, section, &piece);
        add_piece(state, &piece, chunk->offset);
        return;
    }
    bool has_piece = constant_piece_first(&state->inputs, object, section, &piece);
    for (; has_piece; has_piece = constant_piece_next(&state->inputs, &piece))
        if (piece_is_wanted(state, &piece))
            add_piece(state, &piece, chunk->offset);
        else
            *ARENA_APPEND(&link->arena, state, unused) = object->symbols[piece.symbol];
}

static const struct shared_block *block_of(struct sharing *state, const struct chunk *chunk)
{
    link_context *link = state->link;
    const struct input_object *object = chunk->object;
    struct shared_block **blocks = &state->blocks[object->position];
    if (!*blocks)
        *blocks = ARENA_ARRAY(&link->arena, struct shared_block, object->elf.section_count);
    struct shared_block *block = &(*blocks)[chunk->input->index];
    if (!block->known) {
        block->known = true;
        block->first = (uint32_t)state->pieces_count;
        read_pieces(state, chunk);
        block->count = (uint32_t)state->pieces_count - block->first;
    }
    return block;
}

/* True if the chunk belongs to a used copy of a function. The new banks contain no constants of
 * unused copies, because no code of the program reads them. */
static bool is_used(const struct chunk *chunk)
{
    uint32_t index = 0;
    return input_section_function(chunk->object, chunk->input, &index) &&
           chunk->object->copies[index] == COPY_USED;
}

static void add_bank(struct sharing *state, struct output_section *section)
{
    link_context *link = state->link;
    struct shared_bank *bank = ARENA_APPEND(&link->arena, state, banks);
    bank->section = section;
    bank->first = state->members_count;
    bank->alignment = 1;
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (!is_used(chunk))
            continue;
        const struct shared_block *block = block_of(state, chunk);
        for (uint32_t piece = 0; piece < block->count; piece++)
            *ARENA_APPEND(&link->arena, state, members) = block->first + piece;
    }
    bank->end = state->members_count;
}

static void collect_pieces(struct sharing *state)
{
    const struct output *output = &state->link->output;
    for (size_t i = 0; i < output->sections_count; i++)
        if (constant_is_compiler_bank(output->sections[i]))
            add_bank(state, output->sections[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* Merging of equal constants                                                                    */

static uint32_t root_of_piece(struct sharing *state, uint32_t piece)
{
    struct shared_piece *pieces = state->pieces;
    while (pieces[piece].parent != piece) {
        pieces[piece].parent = pieces[pieces[piece].parent].parent;
        piece = pieces[piece].parent;
    }
    return piece;
}

/* Merges the trees of two constants. The root that was read first becomes the root of both. */
static void unite_pieces(struct sharing *state, uint32_t a, uint32_t b)
{
    a = root_of_piece(state, a);
    b = root_of_piece(state, b);
    struct shared_piece *first = &state->pieces[a < b ? a : b];
    struct shared_piece *second = &state->pieces[a < b ? b : a];
    if (first == second)
        return;
    second->parent = first->parent;
    if (second->alignment > first->alignment)
        first->alignment = second->alignment;
}

static bool is_comparable(struct sharing *state, const struct constant_piece *piece)
{
    return piece->symbol && !constant_piece_is_filled(&state->inputs, piece);
}

/* Merges equal constants of one bank. */
static void unite_equal(struct sharing *state, size_t number)
{
    const struct shared_bank *bank = &state->banks[number];
    trace_line(&state->link->trace, TRACE_CONSTANTS_MERGED,
               section_name(state->link, bank->section));
    for (size_t i = bank->first; i < bank->end; i++) {
        uint32_t member = state->members[i];
        const struct constant_piece *piece = &state->pieces[member].piece;
        if (!is_comparable(state, piece))
            continue;
        struct shared_value *value = name_table_intern_bytes(
            &state->values, (const char *)constant_piece_bytes(piece), (size_t)piece->size);
        if (value->bank == number + 1) {
            constant_trace_equal(state->link, piece, &state->pieces[value->piece].piece);
            unite_pieces(state, value->piece, member);
        }
        value->bank = number + 1;
        value->piece = member;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Offsets                                                                                       */

/* Counts for each root the banks that contain any constant of its tree. If `list` is set, also
 * writes the numbers of these banks to `homes`. */
static void count_banks(struct sharing *state, bool list)
{
    for (size_t i = 0; i < state->pieces_count; i++)
        state->pieces[i].last_bank = 0;
    for (uint32_t number = 0; number < state->banks_count; number++)
        for (size_t i = state->banks[number].first; i < state->banks[number].end; i++) {
            struct shared_piece *root = &state->pieces[root_of_piece(state, state->members[i])];
            if (root->last_bank == number + 1)
                continue;
            root->last_bank = number + 1;
            if (list)
                state->homes[root->banks_start + root->banks_count] = number;
            root->banks_count++;
        }
}

static void find_homes(struct sharing *state)
{
    link_context *link = state->link;
    count_banks(state, false);
    size_t start = 0;
    for (size_t i = 0; i < state->pieces_count; i++) {
        state->pieces[i].banks_start = start;
        start += state->pieces[i].banks_count;
        state->pieces[i].banks_count = 0;
    }
    state->homes = ARENA_ARRAY(&link->arena, uint32_t, start);
    count_banks(state, true);
}

/* Orders roots for place_roots: by descending number of banks, then by descending alignment, then
 * by old offset. */
static int by_banks_then_alignment(const void *a, const void *b)
{
    const struct shared_piece *first = *(struct shared_piece *const *)a;
    const struct shared_piece *second = *(struct shared_piece *const *)b;
    if (first->banks_count != second->banks_count)
        return first->banks_count > second->banks_count ? -1 : 1;
    if (first->alignment != second->alignment)
        return first->alignment > second->alignment ? -1 : 1;
    if (first->old_offset != second->old_offset)
        return first->old_offset < second->old_offset ? -1 : 1;
    return first->parent < second->parent ? -1 : first->parent > second->parent;
}

/* Assigns a constant an offset after the end of all banks that contain the constant. Returns false
 * if it does not fit. */
static bool place_piece(struct sharing *state, struct shared_piece *root)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < root->banks_count; i++) {
        const struct shared_bank *bank = &state->banks[state->homes[root->banks_start + i]];
        if (bank->size > end)
            end = bank->size;
    }
    root->offset = align_up(end, root->alignment);
    end = add_sizes(root->offset, root->piece.size);
    for (uint32_t i = 0; i < root->banks_count; i++) {
        struct shared_bank *bank = &state->banks[state->homes[root->banks_start + i]];
        bank->size = end;
        if (root->alignment > bank->alignment)
            bank->alignment = root->alignment;
    }
    return end <= CONSTANT_BANK_LIMIT;
}

static bool place_roots(struct sharing *state)
{
    link_context *link = state->link;
    struct shared_piece **roots =
        ARENA_ARRAY(&link->arena, struct shared_piece *, state->pieces_count);
    size_t count = 0;
    for (uint32_t i = 0; i < state->pieces_count; i++)
        if (state->pieces[i].parent == i)
            roots[count++] = &state->pieces[i];
    if (count)
        qsort(roots, count, sizeof *roots, by_banks_then_alignment);
    for (size_t i = 0; i < count; i++)
        if (!place_piece(state, roots[i]))
            return false;
    return true;
}

static bool is_smaller(const struct sharing *state)
{
    bool shrinks = false;
    for (size_t i = 0; i < state->banks_count; i++) {
        const struct shared_bank *bank = &state->banks[i];
        if (bank->size > bank->section->size)
            return false;
        shrinks |= bank->size < bank->section->size;
    }
    return shrinks;
}

/* --------------------------------------------------------------------------------------------- */
/* The new banks                                                                                 */

static void write_bank(struct sharing *state, const struct shared_bank *bank)
{
    link_context *link = state->link;
    struct output_section *section = bank->section;
    uint8_t *content = ARENA_ARRAY(&link->arena, uint8_t, bank->size);
    for (size_t i = bank->first; i < bank->end; i++) {
        const struct constant_piece *piece = &state->pieces[state->members[i]].piece;
        uint64_t offset = state->pieces[root_of_piece(state, state->members[i])].offset;
        if (piece->size)
            memcpy(content + offset, constant_piece_bytes(piece), piece->size);
    }
    TRACE(&link->trace, TRACE_CONSTANTS_OLD_SIZE, section_name(link, section),
          (unsigned long long)section->size);
    TRACE(&link->trace, TRACE_CONSTANTS_NEW_SIZE, (unsigned long long)bank->size);
    output_replace(link, section, (struct bytes){content, bank->size});
    section->alignment = bank->alignment;
}

/* Records the new offsets of the constants of a block, so that relocations in the block are applied
 * at these offsets. */
static void move_pieces_of_section(struct sharing *state, struct input_object *object,
                                   uint32_t section)
{
    link_context *link = state->link;
    const struct shared_block *block = &state->blocks[object->position][section];
    bool is_whole = block->count && !state->pieces[block->first].piece.symbol;
    if (is_whole || !constant_blocks_of(&state->inputs, object)->filled[section])
        return;
    struct moved_variable *moved = ARENA_ARRAY(&link->arena, struct moved_variable, block->count);
    for (uint32_t i = 0; i < block->count; i++) {
        const struct constant_piece *piece = &state->pieces[block->first + i].piece;
        moved[i].input_offset = piece->offset;
        moved[i].size = piece->size;
        moved[i].offset = state->pieces[root_of_piece(state, block->first + i)].offset;
    }
    contribution_move(&link->arena, object, section, moved, block->count);
}

static void move_pieces(struct sharing *state)
{
    link_context *link = state->link;
    for (size_t i = 0; i < state->unused_count; i++)
        constant_remove(link, state->unused[i]);
    for (uint32_t i = 0; i < state->pieces_count; i++)
        constant_piece_move(&state->inputs, &state->pieces[i].piece,
                            state->pieces[root_of_piece(state, i)].offset);
    for (size_t o = 0; o < link->objects_count; o++)
        for (uint32_t i = 1; state->blocks[o] && i < link->objects[o]->elf.section_count; i++)
            if (state->blocks[o][i].known)
                move_pieces_of_section(state, link->objects[o], i);
    for (size_t i = 0; i < state->banks_count; i++)
        write_bank(state, &state->banks[i]);
    layout_constant_drop_empty(link);
}

void pass_share_constants(link_context *link)
{
    bool merges = link->options.merge_constants;
    if ((!merges && !link->layout->has_unused_constants) || link_has_mercury(link))
        return;
    struct sharing state = {.link = link};
    constant_blocks_init(&state.inputs, link);
    state.blocks = ARENA_ARRAY(&link->arena, struct shared_block *, link->objects_count);
    name_table_init(&state.values, &link->arena, sizeof(struct shared_value));
    collect_pieces(&state);
    for (size_t i = 0; merges && i < state.banks_count; i++)
        unite_equal(&state, i);
    find_homes(&state);
    if (place_roots(&state) && is_smaller(&state))
        move_pieces(&state);
    else if (state.pieces_count)
        TRACE(&link->trace, TRACE_CONSTANTS_GIVEN_UP);
}
