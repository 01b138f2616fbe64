/* Computes from the first bytes of a stream how long the stream can be; see stream_limit.h.
 *
 * The headers of archives, fat binaries and ELF files show where the contents end. A stream may be
 * PADDING_MIB longer than its contents, because the linker ignores bytes after the contents of
 * files, too. PTX and LTO-IR have no header that shows their size. */
#include "format/recognise/stream_limit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/file_kind.h"
#include "format/recognise/ptx_text.h"
#include "format/section_type.h"

/* Limits of streams. Reading a stream takes at most twice LARGEST_MIB of memory, because the size
 * of the buffer is doubled whenever the buffer is full. */
enum { MEBIBYTE_BITS = 20, LARGEST_PTX_MIB = 256, LARGEST_MIB = 2048, PADDING_MIB = 1 };

static uint64_t end_of_section(struct elf_section_header header)
{
    uint64_t size = header.type == SHT_NOBITS ? 0 : header.size;
    return header.offset > UINT64_MAX - size ? UINT64_MAX : header.offset + size;
}

/* Returns the offset of the end of an ELF file: the end of its section table or of the last section
 * in the file. Returns UINT64_MAX if the section table is missing or not inside `start`, or if the
 * file is not a 64-bit little-endian ELF. */
static uint64_t elf_extent(struct bytes start)
{
    struct bytes table;
    if (start.size < ELF_HEADER_SIZE || start.data[EI_CLASS] != ELFCLASS64 ||
        start.data[EI_DATA] != ELFDATA2LSB)
        return UINT64_MAX;
    uint64_t offset = load_u64(start.data + E_SHOFF);
    if (!offset || !bytes_part(start, offset, ELF_SECTION_HEADER_SIZE, &table))
        return UINT64_MAX;
    struct elf_section_header null_section = elf_section_header_at(table.data, 0);
    uint64_t count = elf_section_count(start.data, &null_section);
    if (count > start.size || !bytes_part(start, offset, count * ELF_SECTION_HEADER_SIZE, &table))
        return UINT64_MAX;
    uint64_t extent = offset + table.size;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = end_of_section(elf_section_header_at(table.data, i));
        extent = end > extent ? end : extent;
    }
    return extent;
}

/* Returns the offset of the end of a PTX text. PTX contains no NUL, so the text ends at the first
 * NUL. Returns UINT64_MAX if `start` contains no NUL. */
static uint64_t text_extent(struct bytes start)
{
    const uint8_t *end = memchr(start.data, '\0', (size_t)start.size);
    return end ? (uint64_t)(end - start.data) : UINT64_MAX;
}

static const char *too_long(struct arena *arena, const char *what, int limit)
{
    return arena_format(arena, "%s from a stream can have %d MiB at most; pass it as a file", what,
                        limit);
}

static const char *unknown(struct arena *arena, struct bytes start)
{
    const char *kind = file_kind_by_magic(start);
    return kind ? arena_format(arena, "it is %s", kind)
                : "no input that can be linked begins like this";
}

/* Returns the reason to stop reading after `size` bytes, or NULL. `extent` is the offset at which
 * the contents end. Reading stops if the stream is PADDING_MIB longer than its contents, or longer
 * than LARGEST_MIB. */
static const char *refusal(struct arena *arena, uint64_t size, uint64_t extent)
{
    uint64_t padding = (uint64_t)PADDING_MIB << MEBIBYTE_BITS;
    if (extent < size && size - extent > padding)
        return arena_format(arena, "its contents end at byte %" PRIu64 ", but it goes on", extent);
    return size >> MEBIBYTE_BITS < LARGEST_MIB ? NULL : too_long(arena, "An input", LARGEST_MIB);
}

const char *stream_refusal(struct arena *arena, struct bytes start)
{
    if (archive_recognise(start))
        return refusal(arena, start.size, archive_extent(start));
    if (fatbin_recognise(start))
        return refusal(arena, start.size, fatbin_extent(start));
    if (elf_identify(start) != ELF_KIND_NOT_ELF)
        return refusal(arena, start.size, elf_extent(start));
    if (file_kind_is_lto_ir(start))
        return refusal(arena, start.size, UINT64_MAX);
    if (!may_be_ptx(start))
        return unknown(arena, start);
    if (start.size >> MEBIBYTE_BITS >= LARGEST_PTX_MIB)
        return too_long(arena, "PTX", LARGEST_PTX_MIB);
    return refusal(arena, start.size, text_extent(start));
}
