/* Reads the names that host code defines; see host_symbols.h. Only 64-bit little-endian ELF files
 * are read.
 *
 * A damaged file must not cost more time than its size allows. So only the first table of each type
 * is read, and the number of bytes in names is limited: in a damaged file, thousands of symbols can
 * have names that end in one long string. */
#include "format/container/host_symbols.h"

#include <string.h>

#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"

enum { SHT_DYNSYM = 11 }; /* device code has none */

/* The names of one symbol table may have this number of bytes for each byte of the file. In valid
 * files, names share at most their ends, so the names are hardly longer than the string table. */
enum { NAME_BYTES_PER_FILE_BYTE = 4 };

static bool is_readable(struct bytes file)
{
    static const uint8_t MAGIC[] = {0x7f, 'E', 'L', 'F'};
    return file.size >= ELF_HEADER_SIZE && !memcmp(file.data, MAGIC, sizeof MAGIC) &&
           file.data[EI_CLASS] == ELFCLASS64 && file.data[EI_DATA] == ELFDATA2LSB;
}

/* Finds the section headers. The file can have more sections than 16 bits can number. */
static bool find_headers(struct bytes file, struct bytes *headers)
{
    struct bytes first;
    uint64_t start = load_u64(file.data + E_SHOFF);
    if (!bytes_part(file, start, ELF_SECTION_HEADER_SIZE, &first))
        return false;
    struct elf_section_header null_section = elf_section_header_at(first.data, 0);
    uint64_t count = elf_section_count(file.data, &null_section);
    return count <= UINT32_MAX && count <= file.size / ELF_SECTION_HEADER_SIZE &&
           bytes_part(file, start, count * ELF_SECTION_HEADER_SIZE, headers);
}

/* Finds the contents of the first symbol table of this type and of its string table. Returns false
 * if there is no such table, or if it is damaged. */
static bool find_table(struct bytes file, struct bytes headers, uint32_t type,
                       struct bytes *symbols, struct bytes *strings)
{
    uint32_t count = (uint32_t)(headers.size / ELF_SECTION_HEADER_SIZE), i = 0;
    while (i < count && elf_section_header_at(headers.data, i).type != type)
        i++;
    if (i == count)
        return false;
    struct elf_section_header table = elf_section_header_at(headers.data, i);
    if (table.link >= count)
        return false;
    struct elf_section_header names = elf_section_header_at(headers.data, table.link);
    return bytes_part(file, table.offset, table.size, symbols) &&
           bytes_part(file, names.offset, names.size, strings) && strings->size &&
           !strings->data[strings->size - 1];
}

static bool is_definition(const uint8_t *entry)
{
    uint8_t binding = entry[4] >> 4, type = entry[4] & 0xf;
    return load_u16(entry + 6) != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
           (type == STT_FUNC || type == STT_OBJECT);
}

static void read_table(struct bytes symbols, struct bytes strings, uint64_t name_bytes,
                       host_symbol_handler *take, void *context)
{
    for (uint64_t i = 0; i + ELF_SYMBOL_SIZE <= symbols.size; i += ELF_SYMBOL_SIZE) {
        uint32_t offset = load_u32(symbols.data + i);
        if (!is_definition(symbols.data + i) || !offset || offset >= strings.size)
            continue;
        const char *name = (const char *)strings.data + offset;
        uint64_t length = strlen(name) + 1;
        if (length > name_bytes)
            return;
        name_bytes -= length;
        take(context, name);
    }
}

void host_symbols_read(struct bytes file, host_symbol_handler *take, void *context)
{
    static const uint32_t TYPES[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct bytes headers, symbols, strings;
    if (!is_readable(file) || !find_headers(file, &headers))
        return;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (find_table(file, headers, TYPES[i], &symbols, &strings))
            read_table(symbols, strings, file.size * NAME_BYTES_PER_FILE_BYTE, take, context);
}
