/* Reads the names that host code defines; see host_symbols.h. Only 64-bit little-endian ELF files
 * are read. */
#include "format/container/host_symbols.h"

#include <string.h>

#include "format/elf.h"
#include "format/section_type.h"

enum { SHT_DYNSYM = 11 }; /* device code has none */

static bool is_readable(struct bytes file)
{
    static const uint8_t MAGIC[] = {0x7f, 'E', 'L', 'F'};
    return file.size >= ELF_HEADER_SIZE && !memcmp(file.data, MAGIC, sizeof MAGIC) &&
           file.data[EI_CLASS] == ELFCLASS64 && file.data[EI_DATA] == ELFDATA2LSB;
}

static bool contents_of(struct bytes file, const uint8_t *header, struct bytes *contents)
{
    return bytes_part(file, load_u64(header + SH_OFFSET), load_u64(header + SH_SIZE), contents);
}

static void read_symbol(const uint8_t *entry, struct bytes strings, host_symbol_handler *take,
                        void *context)
{
    uint32_t name = load_u32(entry);
    uint8_t binding = entry[4] >> 4, type = entry[4] & 0xf;
    bool is_definition = load_u16(entry + 6) != SHN_UNDEF &&
                         (binding == STB_GLOBAL || binding == STB_WEAK) &&
                         (type == STT_FUNC || type == STT_OBJECT);
    if (is_definition && name && name < strings.size)
        take(context, (const char *)strings.data + name);
}

void host_symbols_read(struct bytes file, host_symbol_handler *take, void *context)
{
    struct bytes headers, symbols, strings;
    if (!is_readable(file))
        return;
    uint64_t count = load_u16(file.data + E_SHNUM);
    if (!bytes_part(file, load_u64(file.data + E_SHOFF), count * ELF_SECTION_HEADER_SIZE, &headers))
        return;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *header = headers.data + i * ELF_SECTION_HEADER_SIZE;
        uint32_t type = load_u32(header + SH_TYPE), link = load_u32(header + SH_LINK);
        bool is_table = type == SHT_SYMTAB || type == SHT_DYNSYM;
        if (!is_table || link >= count || !contents_of(file, header, &symbols) ||
            !contents_of(file, headers.data + (uint64_t)link * ELF_SECTION_HEADER_SIZE, &strings) ||
            !strings.size || strings.data[strings.size - 1])
            continue;
        for (uint64_t s = 0; s + ELF_SYMBOL_SIZE <= symbols.size; s += ELF_SYMBOL_SIZE)
            read_symbol(symbols.data + s, strings, take, context);
    }
}
