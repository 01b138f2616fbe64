/* Checks the ELF header, file offsets and program headers; see verify.h. */
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/decode.h"
#include "tool/decode/subject.h"
#include "tool/verify/verify.h"

/* ---------------------------------------------------------------------------------------------- */
/* The ELF header                                                                                 */

static void check_header(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    enum { TYPE = 16, VERSION = 20, ENTRY = 24, FLAGS = 48 }; /* offsets */
    enum { OLDEST_RELEASE = 120 };
    uint32_t version = load_u32(view->file.data + VERSION);
    uint64_t entry = load_u64(view->file.data + ENTRY);
    bool is_12 = elf_view_abi(view) == ABIVERSION_CUDA_12;
    uint32_t known_12 = 0xff | EF_12_ALWAYS | EF_12_64BIT_ADDRESS | EF_12_ACCELERATED |
                        0xffu << EF_12_VIRTUAL_SM_SHIFT;
    const struct {
        uint64_t offset;
        uint64_t value;
        bool good;
    } fields[] = {
        {TYPE, view->type,
         view->type == ET_REL || view->type == ET_EXEC || view->type == ET_WHOLE_PROGRAM},
        {VERSION, version, is_12 ? version >= OLDEST_RELEASE : version == 1},
        {ENTRY, entry, entry == 0},
        {FLAGS, view->flags, (view->flags & (is_12 ? ~known_12 : 0xff0000)) == 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!fields[i].good)
            verify_report(verify, VERIFY_RULE_HEADER_FIELD, 0, fields[i].offset, fields[i].value);
}

/* ---------------------------------------------------------------------------------------------- */
/* Offsets                                                                                        */

static void check_padding(struct verify *verify, uint64_t start, uint64_t end, uint32_t before)
{
    struct bytes file = verify->subject->view.file;
    for (uint64_t i = start; i < end && i < file.size; i++) {
        if (!file.data[i])
            continue;
        verify_report(verify, VERIFY_RULE_PADDING, before, i, file.data[i]);
        return;
    }
}

/* Whether unused space may precede a section. It may if a string table precedes the section:
 * - ptxas reserves space after the section names from sm_90 on.
 * - In files with Mercury code, nvlink leaves 36 zeros after the section names. After the symbol
 *   names it leaves zeros, too: their number is the size of the Mercury names minus the size of the
 *   native names (docs/mercury.md). */
static bool may_have_hole_before(const struct verify *verify, uint32_t index)
{
    const struct elf_view *view = &verify->subject->view;
    return !verify_is_native_link(verify) && index > 1 &&
           view->sections[index - 1].type == SHT_STRTAB;
}

/* Whether a section may share the bytes of its counterpart: only Mercury sections may. */
static bool may_share_bytes(const struct elf_section *section)
{
    return section->view == VIEW_MERCURY;
}

/* Checks the file after the last section: section headers, then program headers, which end the
 * file. In files with Mercury code, release 13.5 does not align the section headers. */
static void check_end(struct verify *verify, uint64_t cursor)
{
    const struct elf_view *view = &verify->subject->view;
    uint64_t headers = view->section_header_offset;
    bool is_unaligned = verify_has_mercury(verify) && headers == cursor;
    if (headers != align_up(cursor, 8) && !is_unaligned)
        verify_report(verify, VERIFY_RULE_LAYOUT_END, 0, 0, headers);
    check_padding(verify, cursor, headers, 0);
    cursor = headers + (uint64_t)view->section_count * ELF_SECTION_HEADER_SIZE;
    if (view->program_header_count && view->program_header_offset != cursor)
        verify_report(verify, VERIFY_RULE_LAYOUT_END, 0, 1, view->program_header_offset);
    cursor += (uint64_t)view->program_header_count * ELF_PROGRAM_HEADER_SIZE;
    if (view->file.size != cursor)
        verify_report(verify, VERIFY_RULE_LAYOUT_END, 0, 2, view->file.size);
}

static void check_offsets(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    uint64_t cursor = ELF_HEADER_SIZE;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        struct elf_section_header header = elf_view_section_header(view, i);
        if (header.address)
            verify_report(verify, VERIFY_RULE_SECTION_ADDRESS, i, 0, header.address);
        if (header.offset < cursor) {
            if (!may_share_bytes(section))
                verify_report(verify, VERIFY_RULE_LAYOUT_ORDER, i, 0, header.offset);
            continue;
        }
        check_padding(verify, cursor, header.offset, i);
        if (header.offset != align_up(cursor, elf_section_alignment(section)) &&
            !may_have_hole_before(verify, i))
            verify_report(verify, VERIFY_RULE_LAYOUT_HOLE, i, 0, header.offset - cursor);
        cursor = section_file_end(view, section);
    }
    check_end(verify, cursor);
}

void verify_layout(struct verify *verify)
{
    check_header(verify);
    check_offsets(verify);
}

/* ---------------------------------------------------------------------------------------------- */
/* Program headers                                                                                */

/* The largest number of program headers that nvlink writes. If a file has more, this is reported,
 * and the program headers are not checked. */
enum { MOST_SEGMENTS = 6 };

static void check_table_segment(struct verify *verify, uint32_t index,
                                const struct segment *segment)
{
    uint64_t size = (uint64_t)verify->subject->view.program_header_count * ELF_PROGRAM_HEADER_SIZE;
    if (segment->file_size != size || segment->memory_size != size)
        verify_report(verify, VERIFY_RULE_SEGMENT_TABLE, 0, index, segment->file_size);
}

/* Whether the section is empty, and in memory of the segment's kind. nvlink 13.0.88 includes empty
 * sections in segments (observed with empty sections of constants, of variables and of another
 * tool). So a segment may begin and end at one, and may even have no other section. */
static bool is_empty_part(const struct segment *segment, const struct elf_section *section)
{
    return section->flags & SHF_ALLOC && section->view != VIEW_MERCURY && !section->size &&
           !(section->flags & SHF_WRITE) == !(segment->flags & PF_W);
}

static bool is_empty_part_at(const struct elf_view *view, const struct segment *segment,
                             uint64_t offset)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (is_empty_part(segment, &view->sections[i]) &&
            section_offset(view, &view->sections[i]) == offset)
            return true;
    return false;
}

/* Checks a segment that holds no section with contents. If it has a size, its empty sections have
 * different offsets, because they have different alignments. */
static bool is_empty_segment(const struct elf_view *view, const struct segment *segment)
{
    return segment->memory_size == segment->file_size &&
           is_empty_part_at(view, segment, segment->offset) &&
           is_empty_part_at(view, segment, segment->offset + segment->file_size);
}

/* Returns the offset of the first section of the segment: of `section`, or of an empty one directly
 * before it. */
static uint64_t offset_of_start(const struct elf_view *view, const struct segment *segment,
                                const struct elf_section *section)
{
    uint32_t index = section->index;
    while (index > 1 && is_empty_part(segment, &view->sections[index - 1]) &&
           section_offset(view, &view->sections[index - 1]) >= segment->offset)
        index--;
    return section_offset(view, &view->sections[index]);
}

/* Returns the offset of the end of the segment: of `section`, or of an empty one directly after
 * it. */
static uint64_t offset_of_end(const struct elf_view *view, const struct segment *segment,
                              const struct elf_section *section)
{
    uint64_t end = section_offset(view, section) + section_bytes(section).size;
    uint32_t next = section->index + 1;
    while (next < view->section_count && is_empty_part(segment, &view->sections[next]) &&
           section_offset(view, &view->sections[next]) <= segment->offset + segment->file_size)
        end = section_offset(view, &view->sections[next++]);
    return end;
}

/* Checks that the segment extends exactly from the first to the last of its sections. */
static void check_extent(struct verify *verify, uint32_t index, const struct segment *segment)
{
    const struct elf_view *view = &verify->subject->view;
    const struct elf_section *first = NULL, *last = NULL;
    uint64_t memory_only = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!segment_holds(view, segment, section))
            continue;
        first = first ? first : section;
        last = section;
        if (!section->data)
            memory_only = align_up(memory_only, elf_section_alignment(section)) + section->size;
    }
    if (!first) {
        if (!is_empty_segment(view, segment))
            verify_report(verify, VERIFY_RULE_SEGMENT_EXTENT, 0, index, segment->offset);
        return;
    }
    if (segment->offset != offset_of_start(view, segment, first) ||
        segment->offset + segment->file_size != offset_of_end(view, segment, last))
        verify_report(verify, VERIFY_RULE_SEGMENT_EXTENT, first->index, index, segment->file_size);
    else if (segment->memory_size != segment->file_size + memory_only)
        verify_report(verify, VERIFY_RULE_SEGMENT_EXTENT, first->index, index,
                      segment->memory_size);
}

static bool is_usual(const struct segment *segment)
{
    return !segment->virtual_address && !segment->physical_address && segment->alignment == 8 &&
           (segment->type == PT_LOAD || segment->type == PT_PHDR);
}

static void check_segment(struct verify *verify, uint32_t index, unsigned *tables)
{
    const struct elf_view *view = &verify->subject->view;
    struct segment segment = segment_read(view, index);
    if (!is_usual(&segment))
        verify_report(verify, VERIFY_RULE_SEGMENT_KIND, 0, index, segment.type);
    if (segment_is_table(view, &segment)) {
        check_table_segment(verify, index, &segment);
        *tables |= segment.type == PT_PHDR ? 1 : 2;
    } else {
        check_extent(verify, index, &segment);
    }
}

/* Checks that each section in memory is in exactly one LOAD segment with suitable permissions. */
static void check_coverage(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!(section->flags & SHF_ALLOC) || section->view == VIEW_MERCURY ||
            (section->data && !section->size))
            continue;
        unsigned holders = 0;
        for (uint32_t s = 0; s < view->program_header_count; s++) {
            struct segment segment = segment_read(view, s);
            bool writable = segment.flags & PF_W;
            if (segment.type == PT_LOAD && !segment_is_table(view, &segment) &&
                writable == !!(section->flags & SHF_WRITE) &&
                segment_holds(view, &segment, section))
                holders++;
        }
        if (holders != 1)
            verify_report(verify, VERIFY_RULE_SEGMENT_MISSING, i, 0, holders);
    }
}

void verify_segments(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    if (!verify_is_executable(verify)) {
        if (view->program_header_count)
            verify_report(verify, VERIFY_RULE_SEGMENTS_IN_OBJECT, 0, 0, view->program_header_count);
        return;
    }
    if (view->program_header_count > MOST_SEGMENTS) {
        verify_report(verify, VERIFY_RULE_SEGMENT_KIND, 0, MOST_SEGMENTS,
                      view->program_header_count);
        return;
    }
    unsigned tables = 0;
    for (uint32_t i = 0; i < view->program_header_count; i++)
        check_segment(verify, i, &tables);
    if (tables != 3)
        verify_report(verify, VERIFY_RULE_SEGMENT_TABLE, 0, view->program_header_count, tables);
    check_coverage(verify);
}
