/* Equal compiler-made constants become one when a kernel's bank overflows.
 *
 * Requires: the banks of layout_constant. Mutates: when any bank 2 is larger than a bank can be,
 * all of them get one common content without duplicates, if that fits; else nothing changes and
 * limits reports the bank.
 *
 * The common content is that of all kernels' banks, the one that was created last first, each
 * constant at its own alignment behind the one before. Of equal constants the first stays. Which
 * sizes are compared was found with two equal constants of every size from 1 to 1024 in sections of
 * alignment 4 to 32; order and offsets are exact in 60 overflowing programs of up to three objects
 * and five kernels (nvlink 13.0.88). Constants are those of the compiler's symbols: user constants
 * are written by the host, and equal ones must stay apart. */
#include <assert.h>

#include "link/link.h"

/* What one symbol stands for, or a whole input section. */
struct piece {
    struct input_object *object;
    uint32_t section;
    uint64_t offset; /* in the input section */
    uint64_t size;
    uint64_t alignment;
};

/* A value with its place in the common content. */
struct value {
    struct name name;
    bool placed;
    uint64_t offset;
};

/* The symbols of an object's sections: lists in ascending order of the symbols. */
struct object_symbols {
    uint32_t *first; /* by section, 0 none */
    uint32_t *next;  /* by symbol */
};

struct deduplication {
    link_context *link;
    struct object_symbols *symbols; /* by object; made on demand */
    struct name_table values;
    uint8_t *content;
    uint64_t size;
    uint64_t alignment;
    bool fits;
};

static bool is_compiler_bank(const struct output_section *section)
{
    return section->bank == CONSTANT_BANK_COMPILER && section->owner && !section->dropped;
}

static bool any_overflows(const link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (is_compiler_bank(section) && section->size > CONSTANT_BANK_LIMIT)
            return true;
    }
    return false;
}

static const struct object_symbols *symbols_of(struct deduplication *state,
                                               struct input_object *object)
{
    link_context *link = state->link;
    struct object_symbols *symbols = &state->symbols[object->position];
    if (symbols->first)
        return symbols;
    uint32_t count = object->elf.symbols[VIEW_NATIVE].count;
    symbols->first = ARENA_ARRAY(ARENA, uint32_t, object->elf.section_count);
    symbols->next = ARENA_ARRAY(ARENA, uint32_t, count);
    for (uint32_t i = count; i-- > 1;) {
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (!object->symbols[i] || object->copies[i] != COPY_USED ||
            input.section >= object->elf.section_count)
            continue;
        symbols->next[i] = symbols->first[input.section];
        symbols->first[input.section] = i;
    }
    return symbols;
}

/* True when the symbols cover the section one behind the other, as the compiler's do. Anything else
 * stays in one piece: no byte may be lost. */
static bool is_tiled(struct deduplication *state, struct input_object *object, uint32_t section)
{
    const struct object_symbols *symbols = symbols_of(state, object);
    uint64_t end = 0;
    for (uint32_t i = symbols->first[section]; i; i = symbols->next[i]) {
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (input.value != end || !input.size)
            return false;
        end += input.size;
    }
    return end == object->elf.sections[section].size;
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

static const uint8_t *bytes_of(const struct piece *piece)
{
    return piece->object->elf.sections[piece->section].data + piece->offset;
}

static uint64_t append_piece(struct deduplication *state, const struct piece *piece)
{
    uint64_t offset = align_up(state->size, piece->alignment);
    uint64_t end = add_sizes(offset, piece->size);
    if (end > CONSTANT_BANK_LIMIT) {
        state->fits = false;
        return 0;
    }
    if (piece->size)
        memcpy(state->content + offset, bytes_of(piece), piece->size);
    if (piece->alignment > state->alignment)
        state->alignment = piece->alignment;
    state->size = end;
    return offset;
}

static uint64_t place_piece(struct deduplication *state, const struct piece *piece)
{
    if (!constant_is_comparable(piece->size, piece->alignment))
        return append_piece(state, piece);
    struct value *value =
        name_table_intern_bytes(&state->values, (const char *)bytes_of(piece), piece->size);
    if (!value->placed || value->offset % piece->alignment) {
        value->offset = append_piece(state, piece);
        value->placed = true;
    }
    return value->offset;
}

/* A section that is not split keeps its symbols' distances. */
static void place_whole(struct deduplication *state, struct piece *piece)
{
    struct input_object *object = piece->object;
    const struct object_symbols *symbols = symbols_of(state, object);
    uint64_t offset = place_piece(state, piece);
    object->contributions[piece->section].offset = offset;
    for (uint32_t i = symbols->first[piece->section]; i; i = symbols->next[i])
        object->symbols[i]->value = offset + elf_view_symbol(&object->elf, VIEW_NATIVE, i).value;
}

static void place_chunk(struct deduplication *state, const struct chunk *chunk)
{
    struct input_object *object = chunk->object;
    const struct elf_section *input = &object->elf.sections[chunk->input_section];
    struct piece piece = {.object = object, .section = input->index, .size = input->size};
    piece.alignment = input->alignment ? input->alignment : 1;
    if (!is_tiled(state, object, input->index)) {
        place_whole(state, &piece);
        return;
    }
    const struct object_symbols *symbols = symbols_of(state, object);
    for (uint32_t i = symbols->first[input->index]; i && state->fits; i = symbols->next[i]) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        piece.offset = symbol.value;
        piece.size = symbol.size;
        object->symbols[i]->value = place_piece(state, &piece);
    }
}

static bool refers_to_split_section(struct deduplication *state, struct input_object *object,
                                    const struct elf_section *relocations)
{
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        if (object->symbols[entry.symbol])
            continue;
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, entry.symbol);
        const struct elf_section *target =
            symbol.type == STT_SECTION ? &object->elf.sections[symbol.section] : NULL;
        if (target && section_type_constant_bank(target->type) == CONSTANT_BANK_COMPILER &&
            is_tiled(state, object, target->index))
            return true;
    }
    return false;
}

/* Constants move one by one, so that nothing may refer to them by their section. The compiler's
 * code does not. */
static bool can_move(struct deduplication *state, struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (input_section_kind(section) != INPUT_RELOCATIONS)
            continue;
        int bank = section_type_constant_bank(object->elf.sections[section->info].type);
        if (section->entry_count && bank == CONSTANT_BANK_COMPILER)
            return false;
        if (refers_to_split_section(state, object, section))
            return false;
    }
    return true;
}

static void place_all(struct deduplication *state)
{
    const link_context *link = state->link;
    for (size_t i = 0; i < link->objects_count && state->fits; i++)
        state->fits = can_move(state, link->objects[i]);
    for (size_t i = link->output.sections_count; i-- > 0 && state->fits;) {
        const struct output_section *section = link->output.sections[i];
        for (size_t c = 0; is_compiler_bank(section) && c < section->chunks_count; c++)
            place_chunk(state, &section->chunks[c]);
    }
}

static void share_content(const struct deduplication *state)
{
    link_context *link = state->link;
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        if (!is_compiler_bank(section))
            continue;
        section->chunks_count = 0;
        *ARENA_APPEND(ARENA, section, chunks) = (struct chunk){.size = state->size};
        section->bytes = state->content;
        section->size = state->size;
        section->alignment = state->alignment;
    }
}

/* When it does not fit nothing that was moved matters any more: limits ends the link. */
void deduplicate(link_context *link)
{
    assert(link->stage == STAGE_MERGED);
    if (!any_overflows(link))
        return;
    struct deduplication state = {.link = link, .alignment = 1, .fits = true};
    state.symbols = ARENA_ARRAY(ARENA, struct object_symbols, link->objects_count);
    state.content = ARENA_ARRAY(ARENA, uint8_t, CONSTANT_BANK_LIMIT);
    name_table_init(&state.values, ARENA, sizeof(struct value));
    place_all(&state);
    if (state.fits)
        share_content(&state);
}
