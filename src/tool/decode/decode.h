/* Decodes the structures of a device ELF into rows. */
#ifndef WARPLD_TOOL_DECODE_DECODE_H
#define WARPLD_TOOL_DECODE_DECODE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "format/elf_view.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

/* How much of the file's layout the rows of headers and symbols contain. */
enum detail {
    DETAIL_ALL,     /* all fields; used by dump */
    DETAIL_MEANING, /* no indices, offsets or order; used by diff */
    DETAIL_EXACT,   /* indices, and offsets relative to sections; used by diff --strict */
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

/* Reads a program header. Requires: index < view->program_header_count. */
struct segment segment_read(const struct elf_view *view, uint32_t index);
/* Whether the segment covers the table of program headers instead of sections. */
bool segment_is_table(const struct elf_view *view, const struct segment *segment);
/* Whether the segment holds the section. */
bool segment_holds(const struct elf_view *view, const struct segment *segment,
                   const struct elf_section *section);

/* Adds one row with the fields of the ELF header. */
void decode_header(const struct subject *subject, enum detail detail, struct listing *listing);
/* Adds a row for each program header. */
void decode_segments(const struct subject *subject, enum detail detail, struct listing *listing);
/* Adds one row for the section's header. */
void decode_section_header(const struct subject *subject, const struct elf_section *section,
                           enum detail detail, struct listing *listing);

/* Adds a row for each entry of a section, and sets a suitable layout. Returns false, and adds no
 * rows, for string tables and for sections without a decoder. */
bool decode_section(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing);

/* Returns the bytes of a section that decode_section does not decode. */
struct bytes undecoded_bytes(const struct elf_section *section);

/* Adds a row for each string of a string table, in order. */
void decode_strings(const struct elf_section *section, struct listing *listing);
/* Adds a row for each 16 bytes. */
void decode_bytes(struct bytes bytes, struct listing *listing);

/* Parts of decode_section, in other files. */
void decode_symbols(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing);
void decode_info(const struct subject *subject, const struct elf_section *section,
                 struct listing *listing);
void decode_compat(const struct elf_section *section, struct listing *listing);
void decode_notes(const struct elf_section *section, struct listing *listing);

#endif
