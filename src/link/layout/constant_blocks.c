/* Finds the compiler-made constants of the inputs; see constant_blocks.h. */
#include "link/layout/constant_blocks.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"

enum { WORD_SIZE = 4 };

void constant_blocks_init(struct constant_blocks *blocks, link_context *link)
{
    blocks->link = link;
    blocks->objects = ARENA_ARRAY(&link->arena, struct object_constants, link->objects_count);
}

static bool is_compiler_made(const struct elf_section *section)
{
    return section_type_constant_bank(section->type) == CONSTANT_BANK_COMPILER;
}

/* Links the used symbols of each section into a list, in the order of the symbol table. */
static void list_symbols(const struct input_object *object, struct object_constants *constants)
{
    for (uint32_t i = object->elf.symbols[VIEW_NATIVE].count; i-- > 1;) {
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (!object->symbols[i] || object->copies[i] != COPY_USED ||
            input.section >= object->elf.section_count)
            continue;
        constants->next[i] = constants->first[input.section];
        constants->first[input.section] = i;
    }
}

/* Marks the words that a relocation at this offset may write. Assumes eight bytes, the most that
 * any relocation type writes. */
static void mark_filled(link_context *link, struct object_constants *constants,
                        const struct elf_section *section, uint64_t offset)
{
    enum { LARGEST_FIELD = 8 };
    uint64_t words = section->size / WORD_SIZE + 1;
    uint64_t **filled = &constants->filled[section->index];
    if (!*filled)
        *filled = ARENA_ARRAY(&link->arena, uint64_t, words / 64 + 1);
    uint64_t last = (offset + LARGEST_FIELD - 1) / WORD_SIZE;
    for (uint64_t word = offset / WORD_SIZE; word <= last && word < words; word++)
        (*filled)[word / 64] |= UINT64_C(1) << word % 64;
}

bool constant_piece_is_filled(struct constant_blocks *blocks, const struct constant_piece *piece)
{
    const uint64_t *filled = constant_blocks_of(blocks, piece->object)->filled[piece->section];
    uint64_t end = (piece->offset + piece->size + WORD_SIZE - 1) / WORD_SIZE;
    for (uint64_t word = piece->offset / WORD_SIZE; filled && word < end; word++)
        if (filled[word / 64] >> word % 64 & 1)
            return true;
    return false;
}

static void read_filled_places(link_context *link, const struct input_object *object,
                               const struct elf_section *relocations,
                               struct object_constants *constants)
{
    const struct elf_section *relocated = &object->elf.sections[relocations->info];
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        if (is_compiler_made(relocated))
            mark_filled(link, constants, relocated, entry.offset);
        if (object->symbols[entry.symbol])
            continue;
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, entry.symbol);
        if (symbol.type == STT_SECTION)
            constants->named[symbol.section] = true;
    }
}

const struct object_constants *constant_blocks_of(struct constant_blocks *blocks,
                                                  struct input_object *object)
{
    link_context *link = blocks->link;
    struct object_constants *constants = &blocks->objects[object->position];
    if (constants->first)
        return constants;
    uint32_t sections = object->elf.section_count;
    constants->first = ARENA_ARRAY(&link->arena, uint32_t, sections);
    constants->next = ARENA_ARRAY(&link->arena, uint32_t, object->elf.symbols[VIEW_NATIVE].count);
    constants->named = ARENA_ARRAY(&link->arena, bool, sections);
    constants->filled = ARENA_ARRAY(&link->arena, uint64_t *, sections);
    list_symbols(object, constants);
    for (uint32_t i = 1; i < sections; i++)
        if (input_section_kind(&object->elf.sections[i]) == INPUT_RELOCATIONS)
            read_filled_places(link, object, &object->elf.sections[i], constants);
    return constants;
}

bool constant_block_is_tiled(struct constant_blocks *blocks, struct input_object *object,
                             uint32_t section)
{
    const struct object_constants *constants = constant_blocks_of(blocks, object);
    uint64_t end = 0;
    for (uint32_t i = constants->first[section]; i; i = constants->next[i]) {
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (input.value != end || !input.size)
            return false;
        end += input.size;
    }
    return end == object->elf.sections[section].size;
}

static bool take_symbol(struct constant_piece *piece, uint32_t symbol)
{
    if (!symbol)
        return false;
    struct elf_symbol input = elf_view_symbol(&piece->object->elf, VIEW_NATIVE, symbol);
    piece->symbol = symbol;
    piece->offset = input.value;
    piece->size = input.size;
    return true;
}

void constant_piece_whole(struct input_object *object, uint32_t section,
                          struct constant_piece *piece)
{
    const struct elf_section *input = &object->elf.sections[section];
    uint64_t alignment = elf_section_alignment(input);
    *piece = (struct constant_piece){.object = object,
                                     .section = section,
                                     .size = input->size,
                                     .alignment = alignment ? alignment : 1};
}

bool constant_piece_first(struct constant_blocks *blocks, struct input_object *object,
                          uint32_t section, struct constant_piece *piece)
{
    constant_piece_whole(object, section, piece);
    return !constant_block_is_tiled(blocks, object, section) ||
           take_symbol(piece, constant_blocks_of(blocks, object)->first[section]);
}

bool constant_piece_next(struct constant_blocks *blocks, struct constant_piece *piece)
{
    const struct object_constants *constants = constant_blocks_of(blocks, piece->object);
    return piece->symbol && take_symbol(piece, constants->next[piece->symbol]);
}

/* If the piece is a whole section, also moves the contribution and all symbols of the section. */
void constant_piece_move(struct constant_blocks *blocks, const struct constant_piece *piece,
                         uint64_t offset)
{
    struct input_object *object = piece->object;
    if (piece->symbol) {
        object->symbols[piece->symbol]->value = offset;
        return;
    }
    const struct object_constants *constants = constant_blocks_of(blocks, object);
    object->contributions[piece->section].offset = offset;
    for (uint32_t i = constants->first[piece->section]; i; i = constants->next[i])
        object->symbols[i]->value = offset + elf_view_symbol(&object->elf, VIEW_NATIVE, i).value;
}

uint64_t constant_largest_access(const struct elf_section *section, uint64_t offset, uint64_t size)
{
    enum { LARGEST_ACCESS = 16 }; /* what one instruction reads */
    uint64_t access = 1, alignment = elf_section_alignment(section);
    while (access < LARGEST_ACCESS && access * 2 <= size && access * 2 <= alignment &&
           offset % (access * 2) == 0)
        access *= 2;
    return access;
}

void constant_remove(link_context *link, struct symbol *symbol)
{
    TRACE(&link->trace, TRACE_CONSTANT_UNUSED, symbol_name(symbol));
    symbol->dropped = true;
    symbol->section = NULL;
    symbol->value = UINT64_MAX;
}

void constant_trace_equal(link_context *link, const struct constant_piece *piece,
                          const struct constant_piece *first)
{
    if (!link->trace.categories || !piece->symbol || !first->symbol)
        return;
    const uint8_t *bytes = constant_piece_bytes(piece);
    const char *name = symbol_name(piece->object->symbols[piece->symbol]);
    const char *other = symbol_name(first->object->symbols[first->symbol]);
    if (piece->size == 4)
        TRACE(&link->trace, TRACE_CONSTANTS_EQUAL_32, load_u32(bytes), name, other);
    else if (piece->size == 8)
        TRACE(&link->trace, TRACE_CONSTANTS_EQUAL_64, (unsigned long long)load_u64(bytes), name,
              other);
}
