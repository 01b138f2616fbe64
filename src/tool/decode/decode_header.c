/* Decodes the ELF header, the program headers and the section headers; see decode.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

/* Offsets of fields in the ELF header, by the System V ABI. */
enum {
    HEADER_MACHINE = 18,
    HEADER_VERSION = 20,
    HEADER_ENTRY = 24,
    HEADER_SIZE = 52,
    HEADER_SEGMENT_SIZE = 54,
    HEADER_SECTION_SIZE = 58,
    IDENT_SIZE = 16,
};

static const char *file_type(struct arena *arena, unsigned type)
{
    switch (type) {
    case ET_REL:
        return "REL";
    case ET_EXEC:
        return "EXEC";
    case ET_WHOLE_PROGRAM:
        return "WHOLE_PROGRAM";
    default:
        return arena_format(arena, "0x%x", type);
    }
}

/* Returns the name of the kind of code, which is in bits 7:0 of e_flags. */
static const char *code_kind(struct arena *arena, unsigned bits)
{
    switch (bits) {
    case EF_NATIVE_CODE:
        return "native";
    case EF_MERCURY_CODE:
        return "mercury";
    default:
        return arena_format(arena, "0x%x", bits);
    }
}

static void put_flags(const struct subject *subject, struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    put_text(listing, "code", code_kind(listing->arena, view->flags & 0xff));
    put_number(listing, "sm", elf_view_sm(view));
    put_hex(listing, "flag_bits_23_16", view->flags >> 16 & 0xff);
    put_text(listing, "cuinfo_section", section_label(subject, view->flags >> 24));
}

static void put_flags_12(const struct elf_view *view, struct listing *listing)
{
    put_number(listing, "sm", elf_view_sm(view));
    put_number(listing, "virtual_sm", view->flags >> EF_12_VIRTUAL_SM_SHIFT & 0xff);
    put_hex(listing, "flag_bits_15_8", view->flags >> 8 & 0xff);
    put_hex(listing, "flag_bits_31_24", view->flags >> 24);
}

void decode_header(const struct subject *subject, enum detail detail, struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    const uint8_t *header = view->file.data;
    listing->layout = LAYOUT_PROPERTIES;
    listing_add_row(listing, 0);
    put_bytes(listing, "ident", (struct bytes){header, IDENT_SIZE});
    put_text(listing, "type", file_type(listing->arena, view->type));
    put_number(listing, "machine", load_u16(header + HEADER_MACHINE));
    put_number(listing, "version", load_u32(header + HEADER_VERSION));
    put_hex(listing, "entry", load_u64(header + HEADER_ENTRY));
    if (elf_view_abi(view) == ABIVERSION_CUDA_12)
        put_flags_12(view, listing);
    else
        put_flags(subject, listing);
    if (detail == DETAIL_EXACT)
        put_hex(listing, "flags", view->flags);
    put_number(listing, "header_size", load_u16(header + HEADER_SIZE));
    put_number(listing, "program_header_size", load_u16(header + HEADER_SEGMENT_SIZE));
    put_number(listing, "section_header_size", load_u16(header + HEADER_SECTION_SIZE));
    put_number(listing, "program_headers", view->program_header_count);
    put_number(listing, "sections", view->section_count);
    put_text(listing, "names_section", section_label(subject, view->names_section));
    if (detail != DETAIL_ALL)
        return;
    put_hex(listing, "program_header_offset", view->program_header_offset);
    put_hex(listing, "section_header_offset", view->section_header_offset);
    put_hex(listing, "file_size", view->file.size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Program headers                                                                                */

struct segment segment_read(const struct elf_view *view, uint32_t index)
{
    const uint8_t *p =
        view->file.data + view->program_header_offset + (uint64_t)index * ELF_PROGRAM_HEADER_SIZE;
    return (struct segment){
        .type = load_u32(p),
        .flags = load_u32(p + 4),
        .offset = load_u64(p + 8),
        .virtual_address = load_u64(p + 16),
        .physical_address = load_u64(p + 24),
        .file_size = load_u64(p + 32),
        .memory_size = load_u64(p + 40),
        .alignment = load_u64(p + 48),
    };
}

bool segment_is_table(const struct elf_view *view, const struct segment *segment)
{
    return segment->offset == view->program_header_offset;
}

bool segment_holds(const struct elf_view *view, const struct segment *segment,
                   const struct elf_section *section)
{
    if (!(section->flags & SHF_ALLOC) || section->flags & SHF_MERCURY)
        return false;
    uint64_t distance =
        section_offset(view, section) - segment->offset; /* huge for a section before the segment */
    if (!section->data)
        return segment->flags & PF_W && distance <= segment->file_size;
    return section->size && distance < segment->file_size;
}

/* The sections in a segment: the first and the last in section order, and their number. */
struct cover {
    const struct elf_section *first;
    const struct elf_section *last;
    uint32_t count;
};

static struct cover segment_cover(const struct elf_view *view, const struct segment *segment)
{
    struct cover cover = {0};
    if (segment_is_table(view, segment))
        return cover;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!segment_holds(view, segment, section))
            continue;
        if (!cover.first)
            cover.first = section;
        cover.last = section;
        cover.count++;
    }
    return cover;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_cover(const struct subject *subject, const struct segment *segment,
                      const struct cover *cover, enum detail detail, struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    put_number(listing, "sections", cover->count);
    if (detail != DETAIL_MEANING) {
        put_text(listing, "first",
                 cover->count ? section_label(subject, cover->first->index) : "-");
        put_text(listing, "last", cover->count ? section_label(subject, cover->last->index) : "-");
        return;
    }
    const char **names = ARENA_ARRAY(listing->arena, const char *, cover->count);
    uint32_t count = 0;
    for (uint32_t i = 1; i < view->section_count && count < cover->count; i++)
        if (segment_holds(view, segment, &view->sections[i]))
            names[count++] = section_label(subject, i);
    qsort(names, count, sizeof *names, compare_names);
    put_names(listing, "names", names, count);
}

/* The size in memory of a segment's NOBITS sections. Each is aligned relative to the end of the
 * segment's bytes in the file (observed in nvlink 13.0.88's outputs). */
static uint64_t memory_only_size(const struct elf_view *view, const struct segment *segment)
{
    uint64_t size = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!section->data && section->type != SHT_NULL && segment_holds(view, segment, section))
            size = align_up(size, elf_section_alignment(section)) + section->size;
    }
    return size;
}

/* Prints by how many bytes the segment differs from its sections in start, end and size in memory:
 * 0 if they match. If the segment has no sections, prints its sizes in the file and in memory. */
static void put_relative_extent(const struct elf_view *view, const struct segment *segment,
                                const struct cover *cover, struct listing *listing)
{
    if (!cover->count) {
        put_hex(listing, "file_size", segment->file_size);
        put_hex(listing, "memory_size", segment->memory_size);
        return;
    }
    uint64_t end = section_offset(view, cover->last) + section_bytes(cover->last).size;
    uint64_t start = section_offset(view, cover->first);
    uint64_t memory_only = segment->memory_size - segment->file_size;
    put_signed(listing, "start_error", (int64_t)(segment->offset - start));
    put_signed(listing, "end_error", (int64_t)(segment->offset + segment->file_size - end));
    put_signed(listing, "memory_error", (int64_t)(memory_only - memory_only_size(view, segment)));
}

static const char *segment_type(struct arena *arena, uint32_t type)
{
    switch (type) {
    case PT_LOAD:
        return "LOAD";
    case PT_PHDR:
        return "PHDR";
    default:
        return arena_format(arena, "0x%" PRIx32, type);
    }
}

static const char *segment_flags(struct arena *arena, uint32_t flags)
{
    static const uint64_t BITS[] = {PF_R, PF_W, PF_X};
    uint32_t other = flags & ~(uint32_t)(PF_R | PF_W | PF_X);
    const char *letters = flag_letters(arena, flags, "RWX", BITS, 3);
    return other ? arena_format(arena, "%s+0x%" PRIx32, letters, other) : letters;
}

/* The number of program headers for which sections are looked up. nvlink writes at most 6 program
 * headers. Without this limit, a file with 65,535 program headers would take quadratic time. */
enum { SEGMENTS_WITH_COVER = 8 };

static void decode_segment(const struct subject *subject, uint32_t index, enum detail detail,
                           struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    struct segment segment = segment_read(view, index);
    struct cover cover = {0};
    if (index < SEGMENTS_WITH_COVER)
        cover = segment_cover(view, &segment);
    listing_add_row(listing, 2);
    put_text(listing, "type", segment_type(listing->arena, segment.type));
    put_text(listing, "flags", segment_flags(listing->arena, segment.flags));
    if (detail == DETAIL_ALL) {
        put_hex(listing, "offset", segment.offset);
        put_hex(listing, "file_size", segment.file_size);
        put_hex(listing, "memory_size", segment.memory_size);
    } else {
        put_relative_extent(view, &segment, &cover, listing);
    }
    put_hex(listing, "virtual_address", segment.virtual_address);
    put_hex(listing, "physical_address", segment.physical_address);
    put_number(listing, "alignment", segment.alignment);
    put_text(listing, "holds", segment_is_table(view, &segment) ? "program headers" : "sections");
    put_cover(subject, &segment, &cover, detail, listing);
}

void decode_segments(const struct subject *subject, enum detail detail, struct listing *listing)
{
    listing->layout = LAYOUT_TABLE;
    for (uint32_t i = 0; i < subject->view.program_header_count; i++)
        decode_segment(subject, i, detail, listing);
}

/* ---------------------------------------------------------------------------------------------- */
/* Section headers                                                                                */

static const char *section_type(struct arena *arena, uint32_t type)
{
    const char *name = section_type_name(type);
    return name ? name : arena_format(arena, "0x%" PRIx32, type);
}

/* Returns a letter for each flag: W write, A alloc, X code, I sh_info names a section, M Mercury
 * view, C the section is .note.nv.cuinfo, T the section is .note.nv.tkinfo. */
static const char *section_flags(struct arena *arena, uint64_t flags)
{
    static const uint64_t BITS[] = {SHF_WRITE,   SHF_ALLOC,       SHF_EXECINSTR,  SHF_INFO_LINK,
                                    SHF_MERCURY, SHF_CUINFO_NOTE, SHF_TKINFO_NOTE};
    static const char LETTERS[] = "WAXIMCT";
    char *text = arena_alloc(arena, sizeof LETTERS);
    char *at = text;
    for (size_t i = 0; i < sizeof BITS / sizeof *BITS; i++) {
        if (flags & BITS[i])
            *at++ = LETTERS[i];
        flags &= ~BITS[i];
    }
    if (flags)
        return arena_format(arena, "%s+0x%" PRIx64, text, flags);
    return *text ? text : "-";
}

static bool is_symbol_table(const struct elf_section *section)
{
    return section->type == SHT_SYMTAB || section->type == SHT_MERCURY_SYMTAB;
}

static void put_info(const struct subject *subject, const struct elf_section *section,
                     struct listing *listing)
{
    struct arena *arena = listing->arena;
    const char *text;
    if (elf_section_is_code(section)) {
        const char *label =
            symbol_label(subject, section->view, section->info & ELF_CODE_SYMBOL_MASK);
        text = arena_format(arena, "%s,%" PRIu32 " registers", label, section->info >> 24);
    } else if (is_symbol_table(section)) {
        text = arena_format(arena, "%" PRIu32 " local", section->info);
    } else if (section_info_is_section(section)) {
        text = section->info ? section_label(subject, section->info) : "-";
    } else {
        text = section->info ? arena_format(arena, "0x%" PRIx32, section->info) : "-";
    }
    put_text(listing, "info", text);
}

static void put_section_size(const struct elf_section *section, enum detail detail,
                             struct listing *listing)
{
    bool loose_strings = detail == DETAIL_MEANING && section->type == SHT_STRTAB;
    bool tool_note = detail != DETAIL_ALL && !strcmp(section->name, TOOL_NOTE_SECTION);
    if (!loose_strings && !tool_note)
        put_hex(listing, "size", section->size);
}

void decode_section_header(const struct subject *subject, const struct elf_section *section,
                           enum detail detail, struct listing *listing)
{
    struct elf_section_header header = elf_view_section_header(&subject->view, section->index);
    listing_add_row(listing, 1);
    if (detail == DETAIL_ALL)
        put_number(listing, "index", section->index);
    else
        put_text(listing, "name", section_label(subject, section->index));
    put_text(listing, "type", section_type(listing->arena, section->type));
    put_text(listing, "flags",
             section_flags(listing->arena, elf_view_section_flags(&subject->view, section)));
    put_hex(listing, "address", header.address);
    if (detail == DETAIL_ALL)
        put_hex(listing, "offset", header.offset);
    put_section_size(section, detail, listing);
    put_number(listing, "alignment", header.alignment);
    put_number(listing, "entry_size", header.entry_size);
    put_text(listing, "link", header.link ? section_label(subject, header.link) : "-");
    if (detail != DETAIL_MEANING || !is_symbol_table(section))
        put_info(subject, section, listing);
    if (detail == DETAIL_EXACT) {
        put_number(listing, "link_index", header.link);
        put_hex(listing, "info_value", section->info);
    }
    if (detail == DETAIL_ALL)
        put_text(listing, "name", section_label(subject, section->index));
}
