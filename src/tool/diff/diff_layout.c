/* Compares the layout of two files, and their bytes outside sections; see diff.h.
 *
 * Two files that differ only in the size of their tool notes have different offsets and padding
 * after the note. So gaps are compared instead of offsets. A gap is the distance from the aligned
 * end of the preceding section to the offset of the section. Most gaps are 0, but for Mercury
 * architectures the linker reserves space after string tables. A section of the Mercury view can
 * share the bytes of a native section. It has no gap, so the index of the native section is
 * compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "format/section_type.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/diff/diff.h"

const struct elf_section *tool_note_section(const struct elf_view *view)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].type == SHT_NOTE &&
            !strcmp(view->sections[i].name, TOOL_NOTE_SECTION))
            return &view->sections[i];
    return NULL;
}

struct bytes own_tool_note(const struct elf_view *view)
{
    const struct elf_section *section = tool_note_section(view);
    struct bytes whole = section ? section_bytes(section) : (struct bytes){0};
    struct bytes rest = whole;
    struct note note;
    if (whole.size && note_next(&rest, &note))
        whole.size -= rest.size;
    return whole;
}

bool diff_same_files(const struct diff *diff)
{
    struct bytes file[SIDE_COUNT];
    uint64_t note[SIDE_COUNT], note_size[SIDE_COUNT];
    for (int i = 0; i < SIDE_COUNT; i++) {
        struct bytes own = own_tool_note(&diff->sides[i].view);
        file[i] = diff->sides[i].view.file;
        note[i] = own.size ? (uint64_t)(own.data - file[i].data) : 0;
        note_size[i] = own.size;
    }
    if (file[0].size != file[1].size || note[0] != note[1] || note_size[0] != note_size[1])
        return false;
    uint64_t after = note[0] + note_size[0];
    return !memcmp(file[0].data, file[1].data, note[0]) &&
           !memcmp(file[0].data + after, file[1].data + after, file[0].size - after);
}

/* ---------------------------------------------------------------------------------------------- */
/* Offsets                                                                                        */

struct section_start {
    uint64_t offset;
    uint32_t section;
};

static int compare_starts(const void *a, const void *b)
{
    const struct section_start *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->section < y->section ? -1 : x->section > y->section;
}

/* Lists the sections with bytes in the order of their offsets. */
static size_t sorted_starts(struct arena *arena, const struct elf_view *view,
                            struct section_start **starts)
{
    *starts = ARENA_ARRAY(arena, struct section_start, view->section_count);
    size_t count = 0;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (section_bytes(&view->sections[i]).size)
            (*starts)[count++] =
                (struct section_start){section_offset(view, &view->sections[i]), i};
    if (count)
        qsort(*starts, count, sizeof **starts, compare_starts);
    return count;
}

/* Returns the first section with bytes at exactly this offset; 0: none. */
static uint32_t section_at(const struct section_start *starts, size_t count, uint64_t offset)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (starts[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && starts[low].offset == offset ? starts[low].section : 0;
}

static void add_offset(struct listing *listing, const char *name, uint64_t expected,
                       uint64_t offset)
{
    listing_add_row(listing, 1);
    put_text(listing, "name", name);
    put_signed(listing, "gap", (int64_t)(offset - expected));
}

static void list_offsets(const struct subject *subject, struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    struct section_start *starts;
    size_t count = sorted_starts(listing->arena, view, &starts);
    uint64_t cursor = ELF_HEADER_SIZE;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        const char *label = section_label(subject, i);
        uint64_t offset = section_offset(view, section);
        if (offset < cursor) {
            listing_add_row(listing, 1);
            put_text(listing, "name", label);
            put_number(listing, "shares_bytes_of", section_at(starts, count, offset));
            continue;
        }
        add_offset(listing, label, align_up(cursor, elf_section_alignment(section)), offset);
        cursor = section_file_end(view, section);
    }
    add_offset(listing, "section headers", align_up(cursor, 8), view->section_header_offset);
    cursor = view->section_header_offset + (uint64_t)view->section_count * ELF_SECTION_HEADER_SIZE;
    if (view->program_header_count) {
        add_offset(listing, "program headers", cursor, view->program_header_offset);
        cursor = view->program_header_offset +
                 (uint64_t)view->program_header_count * ELF_PROGRAM_HEADER_SIZE;
    }
    add_offset(listing, "end of file", cursor, view->file.size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Bytes outside sections                                                                         */

static void check_gap(struct diff *diff, int which, uint64_t start, uint64_t end,
                      const char *before)
{
    const struct elf_view *view = &diff->sides[which].view;
    for (uint64_t i = start; i < end && i < view->file.size; i++) {
        if (!view->file.data[i])
            continue;
        struct arena *arena = &diff->arena;
        const char *entry = arena_format(arena, "byte 0x%" PRIx64 " before %s", i, before);
        const char *value = arena_format(arena, "0x%02x", view->file.data[i]);
        diff_add(diff, "file", entry, "padding", which == SIDE_A ? value : "0x00",
                 which == SIDE_B ? value : "0x00");
        return;
    }
}

static void check_padding(struct diff *diff, int which)
{
    const struct subject *subject = &diff->sides[which];
    const struct elf_view *view = &subject->view;
    struct arena scratch;
    tool_arena_init(&scratch);
    struct section_start *starts;
    size_t count = sorted_starts(&scratch, view, &starts);
    uint64_t cursor = ELF_HEADER_SIZE;
    for (size_t i = 0; i < count; i++) {
        const struct elf_section *section = &view->sections[starts[i].section];
        check_gap(diff, which, cursor, starts[i].offset, section_label(subject, section->index));
        if (section_file_end(view, section) > cursor)
            cursor = section_file_end(view, section);
    }
    check_gap(diff, which, cursor, view->section_header_offset, "section headers");
    arena_destroy(&scratch);
}

/* Compares all bytes outside the sections of tool notes. No other comparison covers all of them. If
 * these sections differ in size, nothing is compared, because the bytes after them are shifted. */
static void diff_outside_note(struct diff *diff)
{
    struct bytes before[SIDE_COUNT], after[SIDE_COUNT];
    const struct elf_section *notes[SIDE_COUNT];
    for (int i = 0; i < SIDE_COUNT; i++) {
        struct bytes file = diff->sides[i].view.file;
        notes[i] = tool_note_section(&diff->sides[i].view);
        uint64_t start = notes[i] ? section_offset(&diff->sides[i].view, notes[i]) : 0;
        uint64_t end = start + (notes[i] ? notes[i]->size : 0);
        before[i] = (struct bytes){file.data, start};
        after[i] = (struct bytes){file.data + end, file.size - end};
    }
    if (notes[SIDE_A] && notes[SIDE_B] && notes[SIDE_A]->size != notes[SIDE_B]->size)
        return;
    diff_bytes(diff, "file", "bytes before the tool note", before[SIDE_A], before[SIDE_B]);
    diff_bytes(diff, "file", "bytes after the tool note", after[SIDE_A], after[SIDE_B]);
}

void diff_layout(struct diff *diff)
{
    struct arena scratch;
    tool_arena_init(&scratch);
    struct listing offsets[SIDE_COUNT];
    for (int i = 0; i < SIDE_COUNT; i++) {
        listing_init(&offsets[i], &scratch, LAYOUT_TABLE);
        list_offsets(&diff->sides[i], &offsets[i]);
        check_padding(diff, i);
    }
    diff_rows(diff, "file", &offsets[SIDE_A], &offsets[SIDE_B], ROWS_ORDERED);
    arena_destroy(&scratch);
    if (!diff->count)
        diff_outside_note(diff);
}
