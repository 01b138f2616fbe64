/* Large pieces of data go from the input to the file without a copy in between: it would take as
 * long as writing them, and as much memory again.
 *
 * Requires: places in the file. Makes: which chunks are such parts. */
#include "link/large_parts.h"

/* Below that the copy costs less than what the kernel does for one more part. */
enum { LEAST_LARGE_PART = 256 << 10 };

bool large_parts_have(const struct output_section *section, const struct chunk *chunk)
{
    return section->has_large_parts && chunk->size >= LEAST_LARGE_PART;
}

/* Nothing but the chunks themselves writes to their places. */
static bool can_have_parts(const struct output_section *section)
{
    bool is_changed = section->rel || section->rela || section->slot_rel;
    if (section->content != CONTENT_CHUNKS || is_changed || section->size < LEAST_LARGE_PART)
        return false;
    uint64_t end = 0;
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (chunk->offset < end)
            return false;
        end = chunk->offset + chunk->size;
    }
    return true;
}

/* The two views of a section can have the same place in the file. */
void large_parts_find(link_context *link)
{
    for (uint32_t s = 1; s < link->output.ordered_count && !link_has_mercury(link); s++) {
        struct output_section *section = link->output.ordered[s];
        section->has_large_parts = can_have_parts(section);
        for (size_t i = 0; section->has_large_parts && i < section->chunks_count; i++) {
            const struct chunk *chunk = &section->chunks[i];
            const uint8_t *bytes = chunk_bytes(section, chunk);
            if (bytes && large_parts_have(section, chunk))
                *ARENA_APPEND(ARENA, link, large_parts) =
                    (struct large_part){section->offset + chunk->offset, {bytes, chunk->size}};
        }
    }
}

void large_parts_split(link_context *link)
{
    uint64_t start = 0;
    link->pieces = ARENA_ARRAY(ARENA, struct bytes, 2 * link->large_parts_count + 1);
    for (size_t i = 0; i < link->large_parts_count; i++) {
        const struct large_part *part = &link->large_parts[i];
        link->pieces[link->pieces_count++] =
            (struct bytes){link->result.data + start, part->offset - start};
        link->pieces[link->pieces_count++] = part->bytes;
        start = part->offset + part->bytes.size;
    }
    link->pieces[link->pieces_count++] =
        (struct bytes){link->result.data + start, link->result.size - start};
}

void large_parts_write(link_context *link)
{
    uint8_t *file = (uint8_t *)link->result.data; /* the link's own memory */
    for (size_t i = 0; i < link->large_parts_count; i++) {
        const struct large_part *part = &link->large_parts[i];
        memcpy(file + part->offset, part->bytes.data, part->bytes.size);
    }
    link->large_parts_count = 0;
}
