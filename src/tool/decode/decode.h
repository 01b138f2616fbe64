/* Decoding of a device ELF's structures into rows. */
#ifndef WARPLD_TOOL_DECODE_DECODE_H
#define WARPLD_TOOL_DECODE_DECODE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "format/elf_view.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

/* How much of the file's layout the rows of headers and symbols hold. */
enum detail {
    DETAIL_ALL,     /* everything: for people */
    DETAIL_MEANING, /* what two files must share to mean the same: no indices, offsets, order */
    DETAIL_EXACT,   /* what two identical files share: indices, but offsets only against others */
};

struct segment {
    uint64_t offset;
    uint64_t virtual_address;
    uint64_t physical_address;
    uint64_t file_size;
    uint64_t memory_size;
    uint64_t alignment;
    uint32_t type;
    uint32_t flags;
};

/* index < view->program_header_count */
struct segment segment_read(const struct elf_view *view, uint32_t index);
/* Whether the segment is the table of program headers. */
bool segment_is_table(const struct elf_view *view, const struct segment *segment);
/* Whether the segment holds the section. */
bool segment_holds(const struct elf_view *view, const struct segment *segment,
                   const struct elf_section *section);

/* One row of properties. */
void decode_header(const struct subject *subject, enum detail detail, struct listing *listing);
/* One row for each program header. */
void decode_segments(const struct subject *subject, enum detail detail, struct listing *listing);
/* One row for the section's header. */
void decode_section_header(const struct subject *subject, const struct elf_section *section,
                           enum detail detail, struct listing *listing);

/* The entries of a section, a row each, and the layout that suits them. False, with no rows, for
 * sections without a decoder and for strings. */
bool decode_section(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing);

/* The bytes of a section that decode_section does not cover. */
struct bytes undecoded_bytes(const struct elf_section *section);

/* The strings of a string table, in order. */
void decode_strings(const struct elf_section *section, struct listing *listing);
/* 16 bytes a row. */
void decode_bytes(struct bytes bytes, struct listing *listing);

/* Parts of decode_section, a file each. */
void decode_symbols(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing);
void decode_info(const struct subject *subject, const struct elf_section *section,
                 struct listing *listing);
void decode_compat(const struct elf_section *section, struct listing *listing);
void decode_notes(const struct elf_section *section, struct listing *listing);

#endif
