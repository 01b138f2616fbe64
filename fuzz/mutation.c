/* Random values, fields and files of inputs; see mutation.h. */
#include "mutation.h"

#include <string.h>

#include "enclosing.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/elf.h"
#include "format/unified_index.h"

/* ---------------------------------------------------------------------------------------------- */
/* Random values */

/* xorshift64* by Vigna. */
uint64_t draw(struct fuzz_input *input, uint64_t limit)
{
    input->random ^= input->random >> 12;
    input->random ^= input->random << 25;
    input->random ^= input->random >> 27;
    return limit ? input->random * UINT64_C(0x2545f4914f6cdd1d) % limit : 0;
}

uint64_t load_field(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

void store_field(uint8_t *bytes, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* A value that is, or is next to, a limit of a type, a size or an alignment. */
static uint64_t notable_value(struct fuzz_input *input)
{
    static const uint64_t VALUES[] = {
        0,
        1,
        2,
        3,
        4,
        7,
        8,
        16,
        24,
        127,
        128,
        255,
        256,
        0xfff1,
        0xfff2,
        0xffff,
        0x10000,
        0xff00,
        1 << 24,
        0x70000064,
        0x70000067,
        1 << 30,
        0x7fffffff,
        0x80000000u,
        0xffffffffu,
        UINT64_C(1) << 32,
        UINT64_C(1) << 47,
        (UINT64_C(1) << 48) - 1,
        UINT64_C(1) << 48,
        UINT64_C(1) << 63,
        UINT64_MAX - 15,
        UINT64_MAX,
    };
    return VALUES[draw(input, sizeof VALUES / sizeof *VALUES)];
}

static uint64_t changed_value(struct fuzz_input *input, uint64_t old, uint64_t other)
{
    switch (draw(input, 8)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return old ^ UINT64_C(1) << draw(input, 64);
    case 3:
        return draw(input, 64);
    case 4:
        return notable_value(input);
    default:
        return other; /* the value of the same field in another entry: most likely to be accepted */
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Finding files */

static enum input_kind kind_of_elf(struct bytes file)
{
    unsigned machine = file.size >= ELF_HEADER_SIZE ? load_u16(file.data + E_MACHINE) : EM_CUDA;
    return machine == EM_X86_64 || machine == EM_AARCH64 ? INPUT_HOST_ELF : INPUT_DEVICE_ELF;
}

enum input_kind kind_of(struct bytes file)
{
    static const char PTX_START[] = ".version";
    if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
        return kind_of_elf(file);
    if (fatbin_recognise(file))
        return INPUT_FAT_BINARY;
    if (archive_recognise(file))
        return INPUT_ARCHIVE;
    if (unified_index_identify(file))
        return INPUT_INDEX;
    if (file.size > sizeof PTX_START && !memcmp(file.data, PTX_START, sizeof PTX_START - 1))
        return INPUT_PTX;
    return INPUT_UNKNOWN;
}

size_t find_files(const struct fuzz_input *input, size_t starts[MOST_FILES])
{
    size_t count = 0;
    for (size_t i = 0; i < input->size && count < MOST_FILES; i++)
        if (kind_of((struct bytes){input->data + i, input->size - i}))
            starts[count++] = i;
    return count;
}

void select_file(struct fuzz_input *input, const size_t starts[MOST_FILES], size_t count,
                 size_t chosen)
{
    size_t start = starts[chosen];
    input->start = start;
    input->end = chosen + 1 < count ? starts[chosen + 1] : input->size;
    input->kind = kind_of((struct bytes){input->data + start, input->size - start});
    if (input->kind == INPUT_HOST_ELF || input->kind == INPUT_FAT_BINARY ||
        input->kind == INPUT_ARCHIVE)
        input->end = container_end(input, start, input->kind);
    else
        input->end = part_end(input, start, input->end);
}

void choose_file(struct fuzz_input *input)
{
    size_t starts[MOST_FILES] = {0};
    size_t count = find_files(input, starts);
    select_file(input, starts, count, draw(input, count));
}

struct bytes chosen_file(const struct fuzz_input *input)
{
    return (struct bytes){input->data + input->start, input->end - input->start};
}

struct table table_at(struct fuzz_input *input, uint64_t offset, uint64_t size, uint64_t entry_size)
{
    if (!entry_size || !bytes_contain(chosen_file(input), offset, size))
        return (struct table){NULL, 1, 0};
    return (struct table){input->data + input->start + offset, entry_size, size / entry_size};
}

uint8_t *entry_at(const struct table *table, uint64_t index)
{
    return table->bytes + index * table->entry_size;
}

struct table section_table(struct fuzz_input *input)
{
    struct bytes file = chosen_file(input);
    if (file.size < ELF_HEADER_SIZE)
        return (struct table){NULL, 1, 0};
    uint64_t size = (uint64_t)load_u16(file.data + E_SHNUM) * ELF_SECTION_HEADER_SIZE;
    return table_at(input, load_u64(file.data + E_SHOFF), size, ELF_SECTION_HEADER_SIZE);
}

struct table contents_of(struct fuzz_input *input, const uint8_t *header, uint64_t entry_size)
{
    return table_at(input, load_u64(header + SH_OFFSET), load_u64(header + SH_SIZE), entry_size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Changes */

static void patch_field(struct fuzz_input *input, const struct table *table, uint64_t index,
                        struct field field)
{
    uint8_t *bytes = entry_at(table, index) + field.offset;
    const uint8_t *other = entry_at(table, draw(input, table->count)) + field.offset;
    uint64_t old = load_field(bytes, field.width);
    store_field(bytes, field.width, changed_value(input, old, load_field(other, field.width)));
}

void patch_any_field(struct fuzz_input *input, const struct table *table,
                     const struct field *fields, size_t count)
{
    if (table->count)
        patch_field(input, table, draw(input, table->count), fields[draw(input, count)]);
}

void copy_entry(struct fuzz_input *input, const struct table *table)
{
    uint8_t kept[ELF_SECTION_HEADER_SIZE];
    if (table->count < 2 || table->entry_size > sizeof kept)
        return;
    uint8_t *from = entry_at(table, draw(input, table->count));
    uint8_t *to = entry_at(table, draw(input, table->count));
    memcpy(kept, to, table->entry_size);
    memmove(to, from, table->entry_size);
    if (draw(input, 2))
        memcpy(from, kept, table->entry_size);
}

void flip_bit(struct fuzz_input *input, size_t start, size_t end)
{
    uint64_t bit = draw(input, 8 * (uint64_t)(end - start));
    if (end > start)
        input->data[start + bit / 8] ^= (uint8_t)(1 << bit % 8);
}

bool insert_bytes(struct fuzz_input *input, size_t offset, size_t size)
{
    if (input->max_size < input->size || input->max_size - input->size < size)
        return false;
    resize_containers(input, input->start, offset, (int64_t)size);
    memmove(input->data + offset + size, input->data + offset, input->size - offset);
    memset(input->data + offset, 0, size);
    input->end += size;
    input->size += size;
    return true;
}

void remove_bytes(struct fuzz_input *input, size_t offset, size_t size)
{
    resize_containers(input, input->start, offset, -(int64_t)size);
    memmove(input->data + offset, input->data + offset + size, input->size - offset - size);
    input->end -= size;
    input->size -= size;
}
