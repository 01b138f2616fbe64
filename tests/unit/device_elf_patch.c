/* Finds and changes parts of a device ELF; see device_elf.h. */
#include "device_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/elf.h"

uint64_t device_elf_append(struct device_elf *elf, const void *bytes, size_t size)
{
    uint64_t offset = align_up(elf->size, 16);
    uint8_t *larger = calloc(1, offset + size);
    assert_non_null(larger);
    memcpy(larger, elf->bytes, elf->size);
    memcpy(larger + offset, bytes, size);
    free(elf->bytes);
    elf->bytes = larger;
    elf->size = offset + size;
    return offset;
}

static uint8_t *header_at(const struct device_elf *elf, uint64_t index)
{
    return elf->bytes + load_u64(elf->bytes + HEADER_SHOFF) + index * ELF_SECTION_HEADER_SIZE;
}

uint32_t device_elf_index(const struct device_elf *elf, const char *name)
{
    const uint8_t *names = elf->bytes + load_u64(header_at(elf, DEVICE_ELF_NAMES) + SECTION_OFFSET);
    uint32_t count = load_u16(elf->bytes + HEADER_SHNUM);
    for (uint32_t i = DEVICE_ELF_NAMES; i < count; i++)
        if (!strcmp((const char *)names + load_u32(header_at(elf, i)), name))
            return i;
    fail_msg("no section %s", name);
    return 0;
}

uint8_t *device_elf_header(struct device_elf *elf, const char *name)
{
    return header_at(elf, device_elf_index(elf, name));
}

uint8_t *device_elf_contents(struct device_elf *elf, const char *name)
{
    return elf->bytes + load_u64(device_elf_header(elf, name) + SECTION_OFFSET);
}

void device_elf_replace(struct device_elf *elf, const char *name, const void *bytes, size_t size)
{
    uint64_t offset = device_elf_append(elf, bytes, size);
    uint8_t *header = device_elf_header(elf, name);
    store_u64(header + SECTION_OFFSET, offset);
    store_u64(header + SECTION_SIZE, size);
}

void device_elf_set_header(struct device_elf *elf, size_t field, uint16_t value)
{
    store_u16(elf->bytes + field, value);
}

void device_elf_set_u32(struct device_elf *elf, const char *section, size_t field, uint32_t value)
{
    store_u32(device_elf_header(elf, section) + field, value);
}

void device_elf_set_u64(struct device_elf *elf, const char *section, size_t field, uint64_t value)
{
    store_u64(device_elf_header(elf, section) + field, value);
}

void device_elf_set_word(struct device_elf *elf, const char *section, size_t word, uint32_t value)
{
    store_u32(device_elf_contents(elf, section) + 4 * word, value);
}

uint8_t *device_elf_symbol(struct device_elf *elf, const char *table, size_t index)
{
    return device_elf_contents(elf, table) + index * ELF_SYMBOL_SIZE;
}
