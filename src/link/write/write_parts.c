/* Writes large sections to a file in parts: string tables, the symbol table, and contents of inputs
 * to which relocations are applied; see write_parts.h. */
#include "link/write/write_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/scale.h"
#include "format/elf.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/write/apply.h"
#include "link/write/write.h"

/* Half of the cache of one CPU core. */
enum { PART_SIZE = LARGE_FROM(256 << 10, 100) };

/* The operating system copies to a file in less than half the time if the address and the file
 * offset are equal modulo COPY_ALIGNMENT. 330 pieces of 256 KB took 25 ms, otherwise 60 ms (Linux
 * 6.18, AMD EPYC). */
enum { COPY_ALIGNMENT = 64 };

static bool is_aligned_alike(const uint8_t *bytes, uint64_t offset)
{
    return ((uintptr_t)bytes - offset) % COPY_ALIGNMENT == 0;
}

static uint8_t *align_alike(uint8_t *bytes, uint64_t offset)
{
    return bytes + (offset - (uintptr_t)bytes) % COPY_ALIGNMENT;
}

uint8_t *part_buffer(struct part_writer *writer, uint64_t offset, uint64_t size)
{
    if (size <= writer->capacity)
        return memset(align_alike(writer->memory, offset), 0, (size_t)size);
    free(writer->memory);
    bool is_possible = size <= SIZE_MAX - COPY_ALIGNMENT;
    writer->memory = is_possible ? calloc(1, (size_t)size + COPY_ALIGNMENT) : NULL;
    writer->capacity = writer->memory ? (size_t)size : 0;
    if (!writer->memory) {
        file_sink_fail(writer->sink, ENOMEM);
        return NULL;
    }
    return align_alike(writer->memory, offset);
}

/* --------------------------------------------------------------------------------------------- */
/* Strings                                                                                       */

static uint8_t *write_names(const struct linked_name *const *names, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        out = linked_name_write(names[i], out) + 1;
    return out;
}

/* Returns the strings of .strtab or .shstrtab. */
static const struct linked_name *const *
strings_of(const struct output *output, const struct output_section *section, size_t *count)
{
    bool of_symbols = section->content == CONTENT_STRINGS;
    *count = of_symbols ? output->strtab_count : output->shstrtab_count;
    return of_symbols ? output->strtab : output->shstrtab;
}

/* Writes the strings after the empty string with which the table starts. */
void write_strings(const struct output *output, struct output_section *section, uint8_t *out)
{
    size_t count;
    const struct linked_name *const *names = strings_of(output, section, &count);
    section->written = (uint32_t)(write_names(names, count, out + 1) - out);
}

/* Returns the size of the next part, and the number of its strings in *in_part. */
static uint64_t part_of_strings(const struct linked_name *const *names, size_t count,
                                size_t *in_part)
{
    uint64_t size = 0;
    size_t i = 0;
    while (i < count && size < PART_SIZE)
        size += names[i++]->name.size + UINT64_C(1);
    *in_part = i;
    return size;
}

/* Writes the strings in parts. The empty string at the start of the table is not written: its byte
 * is a hole in the file, and so 0. */
static void put_strings(struct part_writer *writer, struct output_section *section)
{
    size_t count, in_part;
    const struct linked_name *const *names = strings_of(&writer->link->output, section, &count);
    section->written = 1;
    for (size_t i = 0; i < count; i += in_part) {
        uint64_t size = part_of_strings(names + i, count - i, &in_part);
        uint64_t offset = section->offset + section->written;
        uint8_t *bytes = part_buffer(writer, offset, size);
        if (!bytes)
            return;
        write_names(names + i, in_part, bytes);
        file_sink_put(writer->sink, offset, (struct bytes){bytes, size});
        section->written += (uint32_t)size;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

static void put_symbols(struct part_writer *writer, const struct output_section *section)
{
    enum { SYMBOLS_OF_A_PART = PART_SIZE / ELF_SYMBOL_SIZE };
    uint32_t count = writer->link->output.symbol_count;
    struct symbol_part part = {.first = 0};
    for (; part.first < count; part.first = part.end) {
        uint32_t rest = count - part.first;
        part.end = part.first + (rest < SYMBOLS_OF_A_PART ? rest : SYMBOLS_OF_A_PART);
        uint64_t size = (uint64_t)(part.end - part.first) * ELF_SYMBOL_SIZE;
        uint64_t offset = section->offset + (uint64_t)part.first * ELF_SYMBOL_SIZE;
        uint8_t *bytes = part_buffer(writer, offset, size);
        if (!bytes)
            return;
        write_symbol_part(writer->link, &part, bytes);
        file_sink_put(writer->sink, offset, (struct bytes){bytes, size});
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Contents of inputs                                                                            */

/* Returns the index of the chunk after the part that starts with chunk `first`. A part contains all
 * chunks of its objects, and therefore all bytes that the relocations of these objects change. */
static size_t end_of_part(const struct output_section *section, size_t first)
{
    const struct chunk *chunks = section->chunks;
    size_t end = first;
    do
        end++;
    while (end < section->chunks_count && (chunks[end].offset - chunks[first].offset < PART_SIZE ||
                                           chunks[end].object == chunks[end - 1].object));
    return end;
}

/* Returns a window with `size` bytes of the section, from `start` on. They are in the writer's
 * buffer. */
static struct file_window window_of_part(struct part_writer *writer,
                                         const struct output_section *section, uint64_t start,
                                         uint64_t size)
{
    return (struct file_window){.start = section->offset + start,
                                .size = size,
                                .first_section = section->index,
                                .end_section = section->index + 1,
                                .bytes = part_buffer(writer, section->offset + start, size)};
}

static void fill_part(struct part_writer *writer, struct output_section *section, size_t first,
                      size_t end, const struct file_window *part)
{
    write_chunks(section, first, end, part);
    struct object_range objects = {section->chunks[first].object->position,
                                   section->chunks[end - 1].object->position};
    apply_relocations_of(writer->link, section, part, objects);
}

static void put_chunks(struct part_writer *writer, struct output_section *section)
{
    size_t end;
    for (size_t first = 0; first < section->chunks_count; first = end) {
        end = end_of_part(section, first);
        bool is_last = end == section->chunks_count;
        uint64_t start = section->chunks[first].offset;
        uint64_t size = (is_last ? section->size : section->chunks[end].offset) - start;
        struct file_window part = window_of_part(writer, section, start, size);
        if (!part.bytes)
            return;
        fill_part(writer, section, first, end, &part);
        file_sink_put(writer->sink, part.start, (struct bytes){part.bytes, size});
    }
}

static uint64_t end_of_chunk(const struct chunk *chunk)
{
    return chunk->offset + chunk->size;
}

/* Returns the index of the chunk after the run that starts with chunk `first`. The chunks of a run
 * are copied together and written with one call. A chunk that is larger than a part is a run by
 * itself. */
static size_t end_of_run(const struct output_section *section, size_t first)
{
    const struct chunk *chunks = section->chunks;
    size_t end = first + 1;
    while (end < section->chunks_count &&
           end_of_chunk(&chunks[end]) - chunks[first].offset <= PART_SIZE)
        end++;
    return end;
}

/* Writes a chunk that is a run by itself. */
static void put_chunk(struct part_writer *writer, const struct output_section *section,
                      const struct chunk *chunk)
{
    struct bytes rest = {chunk->bytes, chunk->size};
    uint64_t offset = section->offset + chunk->offset;
    if (!rest.data)
        return;
    if (is_aligned_alike(rest.data, offset)) {
        file_sink_put(writer->sink, offset, rest);
        return;
    }
    while (rest.size) {
        uint64_t size = rest.size < PART_SIZE ? rest.size : PART_SIZE;
        uint8_t *part = part_buffer(writer, offset, size);
        if (!part)
            return;
        memcpy(part, rest.data, size);
        file_sink_put(writer->sink, offset, (struct bytes){part, size});
        offset += size;
        rest = (struct bytes){rest.data + size, rest.size - size};
    }
}

void put_straight(struct part_writer *writer, const struct output_section *section)
{
    size_t end;
    for (size_t first = 0; first < section->chunks_count; first = end) {
        end = end_of_run(section, first);
        if (end - first == 1) {
            put_chunk(writer, section, &section->chunks[first]);
            continue;
        }
        uint64_t start = section->chunks[first].offset;
        uint64_t size = end_of_chunk(&section->chunks[end - 1]) - start;
        struct file_window part = window_of_part(writer, section, start, size);
        if (!part.bytes)
            return;
        write_chunks(section, first, end, &part);
        file_sink_put(writer->sink, part.start, (struct bytes){part.bytes, size});
    }
}

/* Returns true if the chunks are in the order of the objects, with ascending offsets. The chunks of
 * lists of relocations are always in the order of the objects. */
static bool has_chunks_in_order(const struct output_section *section)
{
    const struct chunk *last = NULL;
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (!chunk->object || (last && (chunk->object->position < last->object->position ||
                                        chunk->offset < last->offset + last->size)))
            return false;
        last = chunk;
    }
    return last;
}

/* Returns true if the section can be written in parts, because the contents of different inputs
 * follow each other in it. Banks are excluded: repack.c and layout_constant.c can move their
 * contents. */
static bool is_divisible(const struct output_section *section)
{
    return section->content == CONTENT_CHUNKS && section->bank < 0 &&
           !output_rare(section)->slot_rel && has_chunks_in_order(section);
}

/* --------------------------------------------------------------------------------------------- */

bool is_written_in_parts(const struct output_section *section)
{
    if (section->size <= PART_SIZE)
        return false;
    switch ((enum section_content)section->content) {
    case CONTENT_NAMES:
    case CONTENT_STRINGS:
    case CONTENT_SYMBOLS:
        return true;
    default:
        return is_divisible(section);
    }
}

void write_in_parts(struct part_writer *writer, struct output_section *section)
{
    switch ((enum section_content)section->content) {
    case CONTENT_NAMES:
    case CONTENT_STRINGS:
        put_strings(writer, section);
        break;
    case CONTENT_SYMBOLS:
        put_symbols(writer, section);
        break;
    default:
        put_chunks(writer, section);
        break;
    }
}
