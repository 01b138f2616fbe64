/* Reads .debug_frame; see call_frames.h.
 *
 * Entries have 64-bit lengths. A CIE (common information entry) precedes the FDE (frame description
 * entry) of each function. A relocation of the FDE's address field names the function (observed in
 * all files of ptxas and nvlink 13.0.88). The fields of an FDE, after their offsets:
 *
 *   0: ffffffff   4: length   12: offset of the CIE   20: address   28: size   36: rules
 *
 * A CIE has ~0 at offset 12. */
#include "tool/program/call_frames.h"

#include <stdlib.h>
#include <string.h>

#include "format/elf_view.h"
#include "tool/decode/subject.h"

enum { POINTER_OFFSET = 12, START_OFFSET = 20, RULES_OFFSET = 36 };

struct frame_relocation {
    uint64_t offset;
    uint32_t symbol;
};

struct frame_relocations {
    struct frame_relocation *entries;
    size_t count;
};

static int compare_offsets(const void *a, const void *b)
{
    const struct frame_relocation *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Returns, for each section, its first section of relocations; NULL: none. */
static const struct elf_section **find_relocations(const struct elf_view *view, struct arena *arena)
{
    const struct elf_section **all =
        ARENA_ARRAY(arena, const struct elf_section *, view->section_count);
    for (uint32_t i = view->section_count; i-- > 1;) {
        const struct elf_section *section = &view->sections[i];
        if (section->view == VIEW_NATIVE && elf_section_is_relocation(section) &&
            section->info < view->section_count)
            all[section->info] = section;
    }
    return all;
}

static struct frame_relocations sorted_relocations(const struct elf_section *section,
                                                   struct arena *arena)
{
    struct frame_relocations all = {.count = section ? section->entry_count : 0};
    all.entries = ARENA_ARRAY(arena, struct frame_relocation, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        struct elf_relocation relocation = elf_section_relocation(section, i);
        all.entries[i] = (struct frame_relocation){relocation.offset, relocation.symbol};
    }
    if (all.count)
        qsort(all.entries, all.count, sizeof *all.entries, compare_offsets);
    return all;
}

static uint32_t symbol_at(const struct frame_relocations *all, uint64_t offset)
{
    struct frame_relocation wanted = {.offset = offset};
    const struct frame_relocation *found =
        all->count ? bsearch(&wanted, all->entries, all->count, sizeof wanted, compare_offsets)
                   : NULL;
    return found ? found->symbol : 0;
}

/* Returns the entry at the start of the bytes; empty if the entry is damaged. */
static struct bytes record_at(struct bytes rest)
{
    enum { LONG_MARK_SIZE = 4, SMALLEST = 20 };
    if (rest.size < SMALLEST || load_u32(rest.data) != UINT32_MAX)
        return (struct bytes){0};
    uint64_t length = load_u64(rest.data + LONG_MARK_SIZE);
    if (length > rest.size - POINTER_OFFSET || length < SMALLEST - POINTER_OFFSET)
        return (struct bytes){0};
    return (struct bytes){rest.data, POINTER_OFFSET + length};
}

static void read_frames(const struct program *program, const struct elf_section *section,
                        const struct frame_relocations *relocations, struct call_frame *frames)
{
    struct bytes bytes = section_bytes(section), common = {0}, record;
    for (uint64_t at = 0; at < bytes.size; at += record.size) {
        record = record_at((struct bytes){bytes.data + at, bytes.size - at});
        if (!record.size)
            return;
        if (load_u64(record.data + POINTER_OFFSET) == UINT64_MAX) {
            common = record;
            continue;
        }
        uint32_t symbol = symbol_at(relocations, at + START_OFFSET);
        struct program_function *function = symbol ? program->by_symbol[symbol] : NULL;
        if (function && record.size >= RULES_OFFSET)
            frames[program_index(program, function)] = (struct call_frame){
                common, {record.data + RULES_OFFSET, record.size - RULES_OFFSET}};
    }
}

struct call_frame *call_frames_read(const struct program *program, struct arena *arena)
{
    const struct elf_view *view = &program->subject->view;
    struct call_frame *frames = ARENA_ARRAY(arena, struct call_frame, program->count);
    const struct elf_section **relocations_of = find_relocations(view, arena);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != VIEW_NATIVE || strcmp(section->name, ".debug_frame") != 0)
            continue;
        struct frame_relocations relocations = sorted_relocations(relocations_of[i], arena);
        read_frames(program, section, &relocations, frames);
    }
    return frames;
}
