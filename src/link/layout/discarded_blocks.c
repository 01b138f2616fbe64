/* Handles the compiler-made constants of unused copies of functions; see discarded_blocks.h. */
#include "link/layout/discarded_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/views.h"

enum { TABLE_WORD = 4 }; /* bytes of an entry in a jump table */

static bool fits_table_word(const struct elf_section *block, uint64_t offset)
{
    return block->size >= TABLE_WORD && offset <= block->size - TABLE_WORD;
}

enum copy_state discarded_blocks_copy(const struct chunk *chunk)
{
    uint32_t index = 0;
    input_section_function(chunk->object, chunk->input, &index);
    return (enum copy_state)chunk->object->copies[index];
}

/* Returns the chunk of the used copy, or NULL if the used copy has no constants. If there is such a
 * chunk, it is the first one. */
static const struct chunk *used_block(const struct output_section *content)
{
    const struct chunk *first = content->chunks;
    bool has_first = content->chunks_count && first->object;
    return has_first && discarded_blocks_copy(first) == COPY_USED ? first : NULL;
}

/* The target of an entry in a jump table of the used copy, as an offset in Mercury code and as an
 * offset in native code. */
struct jump_target {
    int64_t mercury;
    uint32_t native;
};

struct jump_targets {
    struct jump_target *found; /* in ascending order of Mercury offsets */
    size_t count;
};

static int by_mercury(const void *a, const void *b)
{
    const struct jump_target *first = a, *second = b;
    return first->mercury < second->mercury ? -1 : first->mercury > second->mercury;
}

/* Lists the targets of the jump tables of the used copy, by Mercury offset. */
static struct jump_targets used_targets(link_context *link, const struct chunk *used)
{
    struct jump_targets targets = {NULL, 0};
    uint32_t list = used ? views_relocations_of(used->object, used->input->index) : 0;
    if (!list)
        return targets;
    const struct elf_section *block = used->input;
    const struct elf_section *entries = &used->object->elf.sections[list];
    targets.found = ARENA_ARRAY(&link->arena, struct jump_target, entries->entry_count);
    for (uint32_t i = 0; i < entries->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(entries, i);
        if (fits_table_word(block, entry.offset))
            targets.found[targets.count++] =
                (struct jump_target){entry.addend, load_u32(block->data + entry.offset)};
    }
    qsort(targets.found, targets.count, sizeof *targets.found, by_mercury);
    return targets;
}

/* Translates a jump target from an offset in Mercury code to an offset in native code.
 *
 * nvlink searches the code of the used copy for the target, and writes 0 if the search fails. This
 * function searches only the jump tables of the used copy. The results differ for few targets
 * (observed in 27 programs). */
static uint32_t native_block_target(const struct jump_targets *targets, int64_t mercury)
{
    struct jump_target wanted = {.mercury = mercury};
    const struct jump_target *found =
        targets->count ? bsearch(&wanted, targets->found, targets->count, sizeof wanted, by_mercury)
                       : NULL;
    return found ? found->native : 0;
}

/* Returns the bytes of a discarded copy's block, with its jump tables filled in as nvlink does.
 * Returns NULL if the block has no jump tables in Mercury form. */
static const uint8_t *discarded_block(link_context *link, const struct chunk *chunk,
                                      const struct jump_targets *targets)
{
    uint32_t relocations = views_relocations_of(chunk->object, chunk->input->index);
    if (!relocations)
        return NULL;
    const struct elf_section *block = chunk->input;
    const struct elf_section *entries = &chunk->object->elf.sections[relocations];
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, block->size);
    memcpy(bytes, block->data, block->size);
    for (uint32_t i = 0; i < entries->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(entries, i);
        if (fits_table_word(block, entry.offset))
            store_u32(bytes + entry.offset, native_block_target(targets, entry.addend));
    }
    return bytes;
}

static bool chunk_is_discarded(const struct chunk *chunk)
{
    return chunk->object && discarded_blocks_copy(chunk) == COPY_DISCARDED;
}

static void fill_tables(link_context *link, struct chunk *chunk, const struct jump_targets *targets)
{
    const uint8_t *bytes = discarded_block(link, chunk, targets);
    if (bytes)
        chunk->bytes = bytes;
}

static bool are_discarded(struct chunk_list chunks)
{
    for (size_t i = 0; i < chunks.count; i++)
        if (!chunk_is_discarded(&chunks.first[i]))
            return false;
    return true;
}

static const struct output_section *own_block(const struct chunk *chunk)
{
    const struct symbol *symbol = input_section_function(chunk->object, chunk->input, NULL);
    return symbol->function ? function_rare(symbol->function)->own_constants : NULL;
}

/* Returns the chunks that follow the chunk of the used copy in a block, if all these chunks belong
 * to discarded copies of the block's own function. Otherwise returns an empty list: the block of a
 * static function can have constants of discarded copies of a weak function of the same name. */
static struct chunk_list discarded_of(const struct output_section *block)
{
    size_t first = used_block(block) ? 1 : 0;
    struct chunk_list discarded = {block->chunks + first, block->chunks_count - first};
    bool is_own =
        discarded.count && are_discarded(discarded) && own_block(discarded.first) == block;
    return is_own ? discarded : (struct chunk_list){NULL, 0};
}

static struct chunk joined(link_context *link, struct chunk_list discarded)
{
    struct chunk whole = discarded.first[0];
    const struct chunk *last = &discarded.first[discarded.count - 1];
    whole.size = last->offset + last->size - whole.offset;
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, whole.size);
    for (size_t i = 0; i < discarded.count; i++)
        if (discarded.first[i].size)
            memcpy(bytes + (discarded.first[i].offset - whole.offset), discarded.first[i].bytes,
                   discarded.first[i].size);
    whole.bytes = bytes;
    return whole;
}

/* Returns copies of a block's chunks, with the jump tables of unused copies of the function filled
 * in. */
static struct chunk_list filled_parts(link_context *link, const struct output_section *block)
{
    size_t count = block->chunks_count;
    struct chunk *parts = ARENA_ARRAY(&link->arena, struct chunk, count);
    struct jump_targets targets = used_targets(link, used_block(block));
    for (size_t i = 0; i < count; i++) {
        parts[i] = block->chunks[i];
        if (discarded_blocks_copy(&parts[i]) != COPY_USED)
            fill_tables(link, &parts[i], &targets);
    }
    return (struct chunk_list){parts, count};
}

struct chunk_list discarded_blocks_parts(link_context *link, const struct output_section *block)
{
    if (link_has_mercury(link))
        return filled_parts(link, block);
    struct chunk_list discarded = discarded_of(block);
    if (discarded.count < 2)
        return (struct chunk_list){block->chunks, block->chunks_count};
    size_t first = block->chunks_count - discarded.count;
    struct chunk *parts = ARENA_ARRAY(&link->arena, struct chunk, first + 1);
    if (first)
        parts[0] = block->chunks[0];
    parts[first] = joined(link, discarded);
    return (struct chunk_list){parts, first + 1};
}

struct chunk_list discarded_blocks_joined(const struct chunk *chunk)
{
    return chunk->size == chunk->input->size ? (struct chunk_list){chunk, 1}
                                             : discarded_of(own_block(chunk));
}

static void fill_discarded_bank(link_context *link, struct output_section *bank)
{
    struct jump_targets targets = used_targets(link, used_block(bank));
    for (size_t i = 0; i < bank->chunks_count; i++)
        if (chunk_is_discarded(&bank->chunks[i]))
            fill_tables(link, &bank->chunks[i], &targets);
}

void discarded_blocks_fill(link_context *link)
{
    for (size_t i = 0; link_has_mercury(link) && i < link->functions_count; i++) {
        struct output_section *bank = function_rare(link->functions[i])->first_constants;
        if (bank && bank->chunks_count > 1)
            fill_discarded_bank(link, bank);
    }
}
