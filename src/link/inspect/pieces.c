/* The pieces of the output file; see pieces.h. */
#include "link/inspect/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/prefetch.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/inspect/piece_lists.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"

static struct warpld_piece *new_piece(link_context *link, struct piece_walk *walk,
                                      enum warpld_piece_kind kind)
{
    struct warpld_piece *piece = ARENA_APPEND(&link->arena, walk, pieces);
    *piece = (struct warpld_piece){.kind = kind, .bank = -1, .function_number = UINT32_MAX};
    return piece;
}

/* --------------------------------------------------------------------------------------------- */
/* The file                                                                                      */

/* Adds a piece of the file that is not a section, such as the table of section headers. */
static void add_table(link_context *link, struct piece_walk *walk, enum warpld_piece_kind kind,
                      uint64_t bytes, uint64_t alignment)
{
    struct warpld_piece *piece = new_piece(link, walk, kind);
    piece->offset = walk->position;
    piece->file_bytes = bytes;
    piece->alignment = alignment;
    walk->position += bytes;
}

static void add_padding(link_context *link, struct piece_walk *walk, uint64_t end)
{
    if (end > walk->position)
        add_table(link, walk, WARPLD_PIECE_PADDING, end - walk->position, 0);
}

static void add_end(link_context *link, struct piece_walk *walk)
{
    const struct output *output = &link->output;
    add_padding(link, walk, output->section_headers);
    add_table(link, walk, WARPLD_PIECE_SECTION_HEADERS,
              (uint64_t)output->ordered_count * ELF_SECTION_HEADER_SIZE, sizeof(uint64_t));
    if (output->program_headers)
        add_table(link, walk, WARPLD_PIECE_PROGRAM_HEADERS,
                  (uint64_t)output->segment_count * ELF_PROGRAM_HEADER_SIZE, sizeof(uint64_t));
    walk->is_at_end = true;
}

/* --------------------------------------------------------------------------------------------- */
/* Sections                                                                                      */

/* Returns true if the section and its counterpart share their bytes: the file contains them only
 * once. */
static bool shares_bytes_of_counterpart(const struct output_section *section)
{
    const struct output_section *counterpart = output_counterpart(section);
    return section->view == VIEW_MERCURY && counterpart && section->offset == counterpart->offset &&
           section->size == counterpart->size;
}

static enum warpld_space space_without_bytes(const char *name)
{
    static const struct {
        const char *prefix;
        enum warpld_space space;
    } SPACES[] = {{".nv.global", WARPLD_SPACE_GLOBAL},
                  {".nv.shared", WARPLD_SPACE_SHARED},
                  {".nv_debug.shared", WARPLD_SPACE_SHARED},
                  {".nv.local", WARPLD_SPACE_LOCAL}};
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        if (!strncmp(name, SPACES[i].prefix, strlen(SPACES[i].prefix)))
            return SPACES[i].space;
    return WARPLD_SPACE_NONE;
}

static enum warpld_space space_of_section(const struct output_section *section, const char *name)
{
    switch ((enum section_rank)section->rank) {
    case RANK_TEXT:
    case RANK_MERCURY_TEXT:
    case RANK_MERCURY_LATE_TEXT:
        return WARPLD_SPACE_CODE;
    case RANK_CONSTANT:
    case RANK_PARAMETERS:
    case RANK_MERCURY_CONSTANT:
        return WARPLD_SPACE_CONSTANT;
    case RANK_DATA:
    case RANK_MERCURY_DATA:
        return WARPLD_SPACE_GLOBAL;
    case RANK_NOBITS:
    case RANK_MERCURY_NOBITS:
        return space_without_bytes(name);
    default:
        return WARPLD_SPACE_NONE;
    }
}

/* Returns the function that the section belongs to, or NULL. Relocations belong to the owner of the
 * section that they patch. */
static const struct function *owner_of(const struct output_section *section)
{
    if (section->owner)
        return section->owner;
    return section->content == CONTENT_RELOCATIONS && section->info ? section->info->owner : NULL;
}

static void add_section_piece(link_context *link, struct piece_walk *walk,
                              const struct output_section *section)
{
    const struct function *owner = owner_of(section);
    const char *name = owner ? linked_name_text_of(link, section->name, owner->symbol->name)
                             : section_name(link, section);
    bool is_shared = shares_bytes_of_counterpart(section);
    if (!is_shared)
        add_padding(link, walk, section->offset);
    struct warpld_piece *piece = new_piece(link, walk, WARPLD_PIECE_SECTION);
    piece->space = space_of_section(section, name);
    piece->bank =
        section->view == VIEW_NATIVE && piece->space == WARPLD_SPACE_CONSTANT ? section->bank : -1;
    piece->section = name;
    piece->function = owner ? symbol_name(owner->symbol) : NULL;
    piece->function_number = owner ? owner->index : UINT32_MAX;
    piece->input = owner ? code_origin(link, owner->symbol) : NULL;
    piece->offset = section->offset;
    piece->file_bytes = is_shared ? 0 : output_bytes_in_file(section);
    piece->bytes = section->size;
    piece->alignment = section->alignment;
    piece->shares_bytes = is_shared;
    if (!is_shared)
        walk->position = section->offset + piece->file_bytes;
}

/* --------------------------------------------------------------------------------------------- */
/* Parts                                                                                         */

/* The state while the parts of a section are added. `end` is the offset in the section that follows
 * the parts added so far. */
struct part_adder {
    link_context *link;
    struct piece_walk *walk;
    const struct output_section *section;
    uint32_t whole;           /* index in walk->pieces of the piece for the whole section */
    uint32_t next_symbol;     /* index in walk->symbols of the next symbol to add */
    const struct symbol *own; /* symbol of the function whose code is this section; or NULL */
    uint64_t end;
};

static struct warpld_piece *add_part_of_section(struct part_adder *adder,
                                                enum warpld_piece_kind kind, uint64_t address,
                                                uint64_t bytes)
{
    struct warpld_piece *part = new_piece(adder->link, adder->walk, kind);
    const struct warpld_piece *whole = &adder->walk->pieces[adder->whole];
    part->space = whole->space;
    part->bank = whole->bank;
    part->section = whole->section;
    part->function = whole->function;
    part->function_number = whole->function_number;
    part->address = address;
    part->bytes = bytes;
    part->shares_bytes = whole->shares_bytes;
    part->offset = whole->offset + (whole->file_bytes || whole->shares_bytes ? address : 0);
    part->file_bytes = whole->file_bytes ? bytes : 0;
    return part;
}

static void add_gap(struct part_adder *adder, uint64_t end)
{
    if (end > adder->end)
        add_part_of_section(adder, WARPLD_PIECE_GAP, adder->end, end - adder->end);
    adder->end = end > adder->end ? end : adder->end;
}

static void add_symbol_piece(struct part_adder *adder, const struct placed_symbol *placed)
{
    struct warpld_piece *part =
        add_part_of_section(adder, WARPLD_PIECE_SYMBOL, placed->value, placed->bytes);
    part->symbol = symbol_name(placed->symbol);
    part->input = placed->symbol->object ? code_origin(adder->link, placed->symbol) : NULL;
}

/* Adds the section's symbols with an offset below `end` that were not added before. */
static void add_symbols_before(struct part_adder *adder, uint64_t end)
{
    const struct piece_walk *walk = adder->walk;
    const struct placed_symbol own = {adder->own, 0, adder->own ? adder->own->size : 0};
    if (adder->own)
        add_symbol_piece(adder, &own);
    adder->own = NULL;
    uint32_t last = walk->first_symbol[adder->section->index + 1];
    while (adder->next_symbol < last && walk->symbols[adder->next_symbol].value < end)
        add_symbol_piece(adder, &walk->symbols[adder->next_symbol++]);
}

/* Returns the name of the input section, or NULL if the output section has the same name. Sections
 * of functions have the same name in inputs and output, so their input names are not read. */
static const char *other_name(const struct output_section *section, const char *name,
                              const struct chunk *chunk)
{
    if (!chunk->object || !chunk->input || (section->owner && section->name->prefix))
        return NULL;
    return strcmp(chunk->input->name, name) ? chunk->input->name : NULL;
}

/* Returns the name of the input that the chunk comes from. Requires: the chunk comes from an input,
 * not from a pass. */
static const char *input_of_chunk(const struct part_adder *adder, const struct chunk *chunk)
{
    const struct function *owner = owner_of(adder->section);
    return owner && owner->symbol->object == chunk->object ? code_origin(adder->link, owner->symbol)
                                                           : chunk->object->name;
}

/* Adds the part for a chunk. A chunk can overlap earlier chunks, because equal constants can have
 * the same address. The part has only those bytes that no earlier chunk covers. */
static void add_chunk(struct part_adder *adder, const struct chunk *chunk)
{
    uint64_t end = chunk->offset + chunk->size;
    add_gap(adder, chunk->offset);
    if (end <= adder->end)
        return;
    bool is_input = chunk->object;
    struct warpld_piece *part =
        add_part_of_section(adder, is_input ? WARPLD_PIECE_INPUT : WARPLD_PIECE_GENERATED,
                            adder->end, end - adder->end);
    part->input = is_input ? input_of_chunk(adder, chunk) : NULL;
    part->input_section = other_name(adder->section, part->section, chunk);
    part->alignment = is_input && chunk->input ? elf_section_alignment(chunk->input) : 0;
    adder->end = end;
    add_symbols_before(adder, end);
}

/* Prefetches the shared variables that the walk reads next; see prefetch_sections. */
static PREFETCHES void prefetch_shared(const struct piece_walk *walk)
{
    const size_t ahead = 4;
    const struct placed_shared *placed = walk->shared + walk->next_shared;
    if (walk->shared_count - walk->next_shared <= 3 * ahead)
        return;
    __builtin_prefetch(placed[3 * ahead].variable);
    __builtin_prefetch(placed[2 * ahead].variable->symbol);
    __builtin_prefetch(placed[2 * ahead].variable->users);
    __builtin_prefetch(placed[ahead].variable->symbol->name);
    __builtin_prefetch(&placed[ahead].variable->symbol->object->name);
}

/* Adds the parts of a kernel's shared memory: first the bytes that the system reserves, then the
 * variables. */
static void add_shared_parts(struct part_adder *adder)
{
    link_context *link = adder->link;
    struct piece_walk *walk = adder->walk;
    uint64_t reserved = link_shared_reserved(link);
    if (reserved && adder->section->size >= reserved) {
        add_part_of_section(adder, WARPLD_PIECE_GENERATED, 0, reserved);
        adder->end = reserved;
    }
    while (walk->next_shared < walk->shared_count &&
           walk->shared[walk->next_shared].section < adder->section->index)
        walk->next_shared++;
    for (; walk->next_shared < walk->shared_count &&
           walk->shared[walk->next_shared].section == adder->section->index;
         walk->next_shared++) {
        const struct placed_shared *placed = &walk->shared[walk->next_shared];
        const struct shared_variable *variable = placed->variable;
        prefetch_shared(walk);
        add_gap(adder, placed->address);
        struct warpld_piece *part =
            add_part_of_section(adder, WARPLD_PIECE_INPUT, placed->address, variable->size);
        part->symbol = symbol_name(variable->symbol);
        part->input = variable->symbol->object->name;
        part->alignment = variable->alignment;
        if (variable->users_count) {
            part->function = symbol_name(variable->users[0]->symbol);
            part->function_number = variable->users[0]->index;
        }
        adder->end = placed->address + variable->size > adder->end
                         ? placed->address + variable->size
                         : adder->end;
    }
    add_gap(adder, adder->section->size);
}

static int chunk_by_offset(const void *a, const void *b)
{
    const struct chunk *first = *(const struct chunk *const *)a;
    const struct chunk *second = *(const struct chunk *const *)b;
    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return first < second ? -1 : first > second;
}

static bool chunks_ascend(const struct output_section *section)
{
    for (size_t i = 1; i < section->chunks_count; i++)
        if (section->chunks[i].offset < section->chunks[i - 1].offset)
            return false;
    return true;
}

/* Lists the section's chunks by offset. Most sections have them in this order already. Variables
 * that were moved can be out of order. */
static void order_chunks(struct part_adder *adder)
{
    struct piece_walk *walk = adder->walk;
    walk->chunks_count = 0;
    for (size_t i = 0; i < adder->section->chunks_count; i++)
        *ARENA_APPEND(&adder->link->arena, walk, chunks) = &adder->section->chunks[i];
    if (walk->chunks_count && !chunks_ascend(adder->section))
        qsort(walk->chunks, walk->chunks_count, sizeof(struct chunk *), chunk_by_offset);
}

static void add_chunk_parts(struct part_adder *adder)
{
    order_chunks(adder);
    for (size_t i = 0; i < adder->walk->chunks_count; i++)
        add_chunk(adder, adder->walk->chunks[i]);
    add_gap(adder, adder->section->size);
    add_symbols_before(adder, UINT64_MAX);
}

/* Returns the only symbol of the section if it covers the whole section, else NULL. */
static const struct symbol *only_symbol(const struct part_adder *adder)
{
    const struct placed_symbol *placed = &adder->walk->symbols[adder->next_symbol];
    if (adder->own)
        return adder->own->size == adder->section->size ? adder->own : NULL;
    return !placed->value && placed->bytes == adder->section->size ? placed->symbol : NULL;
}

/* Handles the usual case without a list of parts: the section comes from one input section and has
 * at most one symbol, so it is a single piece. Returns false for any other section. */
static bool name_only_part(const struct part_adder *adder)
{
    const struct output_section *section = adder->section;
    const struct piece_walk *walk = adder->walk;
    uint32_t symbols = walk->first_symbol[section->index + 1] - adder->next_symbol;
    symbols += adder->own != NULL;
    const struct symbol *only = symbols == 1 ? only_symbol(adder) : NULL;
    if (section->chunks_count != 1 || (symbols && !only) || section->chunks[0].offset ||
        section->chunks[0].size != section->size)
        return false;
    const struct chunk *chunk = &section->chunks[0];
    struct warpld_piece *whole = &adder->walk->pieces[adder->whole];
    whole->input = chunk->object ? input_of_chunk(adder, chunk) : whole->input;
    whole->input_section = other_name(section, whole->section, chunk);
    whole->symbol = only ? symbol_name(only) : NULL;
    return true;
}

/* If the section is the native code of a function, returns the function's symbol. Otherwise returns
 * NULL. */
static const struct symbol *symbol_of_code(const struct output_section *section)
{
    const struct function *owner = section->owner;
    bool is_code = function_is_own_code(owner) && owner->text == section;
    return is_code && owner->symbol->output_index ? owner->symbol : NULL;
}

static void add_parts(link_context *link, struct piece_walk *walk,
                      const struct output_section *section)
{
    struct part_adder adder = {.link = link,
                               .walk = walk,
                               .section = section,
                               .whole = walk->pieces_count - 1,
                               .next_symbol = walk->first_symbol[section->index],
                               .own = symbol_of_code(section)};
    bool is_none = section->content == CONTENT_NONE;
    if (is_none && walk->pieces[adder.whole].space == WARPLD_SPACE_SHARED)
        add_shared_parts(&adder);
    else if ((is_none || section->content == CONTENT_CHUNKS) && section->chunks_count &&
             !name_only_part(&adder))
        add_chunk_parts(&adder);
    walk->pieces[adder.whole].has_parts = walk->pieces_count > adder.whole + 1;
}

/* --------------------------------------------------------------------------------------------- */
/* The walk                                                                                      */

static void start_walk(link_context *link, struct piece_walk *walk)
{
    piece_lists_make(link, walk);
    walk->has_begun = true;
    walk->next = walk->pieces_count = 0;
    walk->section = walk->next_shared = 0;
    walk->position = 0;
    walk->is_at_end = false;
}

/* Prefetches what the walk will read in the next sections. Sections, owners, symbols and names are
 * far apart in memory, and a large link read them so long ago that each access would be a cache
 * miss. With 3,000 objects, these misses took two fifths of the user time of --map (perf, sampled).
 * Each line reads only pointers that an earlier call prefetched. */
static PREFETCHES void prefetch_sections(const link_context *link, uint32_t next)
{
    enum { LINE = 64 };
    const size_t ahead = 6;
    struct output_section **sections = link->output.ordered + next;
    const struct function *owner;
    if (link->output.ordered_count - next <= 5 * ahead)
        return;
    __builtin_prefetch(sections[5 * ahead]);
    __builtin_prefetch((const char *)sections[5 * ahead] + LINE);
    __builtin_prefetch(sections[4 * ahead]->name);
    __builtin_prefetch(sections[4 * ahead]->chunks);
    __builtin_prefetch(sections[4 * ahead]->owner);
    if ((owner = sections[3 * ahead]->owner))
        __builtin_prefetch(owner->symbol);
    if ((owner = sections[2 * ahead]->owner)) {
        __builtin_prefetch(owner->symbol->name);
        __builtin_prefetch(&owner->symbol->object->name);
    }
    if ((owner = sections[ahead]->owner))
        __builtin_prefetch(symbol_name(owner->symbol));
}

static void add_next(link_context *link, struct piece_walk *walk)
{
    if (!walk->section) {
        add_table(link, walk, WARPLD_PIECE_FILE_HEADER, ELF_HEADER_SIZE, sizeof(uint64_t));
    } else if (walk->section == link->output.ordered_count) {
        add_end(link, walk);
    } else {
        const struct output_section *section = link->output.ordered[walk->section];
        prefetch_sections(link, walk->section);
        add_section_piece(link, walk, section);
        add_parts(link, walk, section);
    }
    walk->section++;
}

/* Replaces the pieces in memory with the next pieces. These belong to several sections, or to a
 * single section that has many pieces. */
static void step_walk(link_context *link, struct piece_walk *walk)
{
    enum { PIECES_OF_A_STEP = 64 };
    walk->pieces_count = 0;
    while (walk->pieces_count < PIECES_OF_A_STEP && !walk->is_at_end)
        add_next(link, walk);
    walk->next += walk->pieces_count;
}

const struct warpld_piece *find_piece(link_context *link, struct piece_walk *walk, size_t index)
{
    if (!walk->has_begun || index < walk->next - walk->pieces_count)
        start_walk(link, walk);
    while (index >= walk->next && !walk->is_at_end)
        step_walk(link, walk);
    return known_piece(walk, index);
}
