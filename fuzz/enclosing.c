/* Containers around files of an input; see enclosing.h. */
#include "enclosing.h"

#include <string.h>

#include "format/container/fatbin_layout.h"
#include "format/elf.h"

static struct bytes rest_of(const struct fuzz_input *input, size_t offset)
{
    return (struct bytes){input->data + offset, input->size - offset};
}

static size_t limited(const struct fuzz_input *input, size_t start, uint64_t size)
{
    return size < input->size - start ? start + (size_t)size : input->size;
}

/* ---------------------------------------------------------------------------------------------- */
/* Parts */

static bool fat_binary_part(const struct fuzz_input *input, size_t offset, struct part *part)
{
    if (offset > input->size || input->size - offset < FATBIN_ENTRY_SIZE)
        return false;
    const uint8_t *header = input->data + offset;
    uint64_t header_size = load_u32(header + FATBIN_ENTRY_HEADER_SIZE);
    uint64_t size = load_u64(header + FATBIN_ENTRY_PAYLOAD_SIZE);
    if (header_size < FATBIN_ENTRY_SIZE || header_size > input->size - offset ||
        size > input->size - offset - header_size)
        return false;
    size_t start = offset + (size_t)header_size;
    *part = (struct part){offset, start, start + (size_t)size};
    return true;
}

static uint64_t read_decimal(const uint8_t *text, unsigned width)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < width && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

void write_decimal(uint8_t *text, unsigned width, uint64_t number)
{
    uint8_t digits[20];
    unsigned count = 0;
    do
        digits[count++] = (uint8_t)('0' + number % 10);
    while ((number /= 10) && count < sizeof digits);
    for (unsigned i = 0; i < width; i++)
        text[i] = i < count ? digits[count - 1 - i] : ' ';
}

/* A newline at `offset` is padding of the previous member, because no header begins with one. */
static bool archive_part(const struct fuzz_input *input, size_t offset, struct part *part)
{
    offset += offset < input->size && input->data[offset] == '\n';
    if (offset > input->size || input->size - offset < MEMBER_HEADER)
        return false;
    size_t start = offset + MEMBER_HEADER;
    uint64_t size = read_decimal(input->data + offset + MEMBER_SIZE_AT, MEMBER_SIZE_WIDTH);
    if (input->data[start - 1] != '\n' || size > input->size - start)
        return false;
    *part = (struct part){offset, start, start + (size_t)size};
    return true;
}

bool next_part(const struct fuzz_input *input, enum input_kind kind, size_t offset,
               struct part *part)
{
    return (kind == INPUT_ARCHIVE ? archive_part : fat_binary_part)(input, offset, part);
}

/* ---------------------------------------------------------------------------------------------- */
/* Containers */

size_t first_part(const struct fuzz_input *input, size_t container, enum input_kind kind)
{
    if (kind == INPUT_ARCHIVE)
        return container + ARCHIVE_MAGIC;
    if (kind != INPUT_FAT_BINARY || input->size - container < FATBIN_CONTAINER_SIZE)
        return input->size;
    const uint8_t *header = input->data + container;
    return limited(input, container, load_u16(header + FATBIN_CONTAINER_HEADER_SIZE));
}

static size_t host_elf_end(const struct fuzz_input *input, size_t start)
{
    const uint8_t *header = input->data + start;
    if (input->size - start < ELF_HEADER_SIZE || load_u64(header + E_SHOFF) > input->size - start)
        return input->size;
    uint64_t table = (uint64_t)load_u16(header + E_SHNUM) * ELF_SECTION_HEADER_SIZE;
    return limited(input, start, load_u64(header + E_SHOFF) + table);
}

size_t container_end(const struct fuzz_input *input, size_t container, enum input_kind kind)
{
    if (kind == INPUT_HOST_ELF)
        return host_elf_end(input, container);
    if (kind != INPUT_FAT_BINARY)
        return input->size;
    size_t start = first_part(input, container, kind);
    if (start == input->size)
        return start;
    return limited(input, start, load_u64(input->data + container + FATBIN_CONTAINER_CONTENT_SIZE));
}

/* Finds the part of a container that contains the offset `inside`. */
static bool find_part(const struct fuzz_input *input, size_t container, enum input_kind kind,
                      size_t inside, struct part *part)
{
    if (kind != INPUT_FAT_BINARY && kind != INPUT_ARCHIVE)
        return false;
    size_t end = container_end(input, container, kind);
    size_t offset = first_part(input, container, kind);
    while (offset < end && offset <= inside && next_part(input, kind, offset, part)) {
        if (part->start <= inside && inside < part->end)
            return true;
        offset = part->end;
    }
    return false;
}

size_t part_end(const struct fuzz_input *input, size_t offset, size_t end)
{
    struct part part;
    for (size_t i = 0; i < offset; i++) {
        enum input_kind kind = kind_of(rest_of(input, i));
        if (find_part(input, i, kind, offset, &part) && part.end < end)
            end = part.end;
    }
    return end;
}

/* ---------------------------------------------------------------------------------------------- */
/* Sizes */

static void add_u64(uint8_t *field, int64_t growth)
{
    store_u64(field, load_u64(field) + (uint64_t)growth);
}

void resize_content(struct fuzz_input *input, size_t container, enum input_kind kind,
                    int64_t growth)
{
    if (kind == INPUT_FAT_BINARY)
        add_u64(input->data + container + FATBIN_CONTAINER_CONTENT_SIZE, growth);
}

void resize_part(struct fuzz_input *input, size_t container, enum input_kind kind,
                 const struct part *part, int64_t growth)
{
    uint8_t *header = input->data + part->header;
    resize_content(input, container, kind, growth);
    if (kind == INPUT_FAT_BINARY)
        add_u64(header + FATBIN_ENTRY_PAYLOAD_SIZE, growth);
    else
        write_decimal(header + MEMBER_SIZE_AT, MEMBER_SIZE_WIDTH,
                      part->end - part->start + (uint64_t)growth);
}

/* Adjusts the headers of sections that follow or contain the change. The offsets are relative to
 * the host object. The caller has checked that its header and its section table are in the input.
 * The table may overlap the header, so the number of sections is read before any change. */
static void resize_sections(uint8_t *file, size_t inside, size_t changed, int64_t growth)
{
    uint8_t *table = file + load_u64(file + E_SHOFF);
    unsigned count = load_u16(file + E_SHNUM);
    for (unsigned i = 0; i < count; i++) {
        uint8_t *header = table + (size_t)i * ELF_SECTION_HEADER_SIZE;
        uint64_t start = load_u64(header + SH_OFFSET), size = load_u64(header + SH_SIZE);
        if (start > inside && start >= changed)
            add_u64(header + SH_OFFSET, growth);
        else if (start <= inside && size > inside - start)
            add_u64(header + SH_SIZE, growth);
    }
}

static void resize_host_elf(struct fuzz_input *input, size_t start, size_t inside, size_t changed,
                            int64_t growth)
{
    uint8_t *file = input->data + start;
    uint64_t table = (uint64_t)load_u16(file + E_SHNUM) * ELF_SECTION_HEADER_SIZE;
    if (load_u64(file + E_SHOFF) < changed - start ||
        !bytes_contain(rest_of(input, start), load_u64(file + E_SHOFF), table))
        return;
    resize_sections(file, inside - start, changed - start, growth);
    add_u64(file + E_SHOFF, growth);
}

void resize_containers(struct fuzz_input *input, size_t inside, size_t changed, int64_t growth)
{
    struct part part;
    for (size_t i = 0; i < inside; i++) {
        enum input_kind kind = kind_of(rest_of(input, i));
        if (find_part(input, i, kind, inside, &part))
            resize_part(input, i, kind, &part, growth);
        else if (kind == INPUT_HOST_ELF)
            resize_host_elf(input, i, inside, changed, growth);
    }
}
