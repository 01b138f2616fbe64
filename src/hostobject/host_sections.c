/* A relocatable ELF for the host; see host_sections.h. */
#include "hostobject/host_sections.h"

#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"
#include "format/mercury_header.h"
#include "format/section_type.h"

static const struct section_kind {
    const char *name;
    uint32_t type, flags;
    uint32_t alignment, entry_size;
} KINDS[HOST_SECTION_COUNT] = {
    [HOST_UNDEFINED] = {"", 0, 0, 0, 0},
    [HOST_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0},
    [HOST_TEXT_RELOCATIONS] = {".rela.text", SHT_RELA, SHF_INFO_LINK, 8, ELF_RELA_SIZE},
    [HOST_BSS] = {".bss", SHT_NOBITS, SHF_WRITE | SHF_ALLOC, 16, 0},
    [HOST_RODATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, 4, 0},
    [HOST_MODULE_IDS] = {"__nv_module_id", SHT_PROGBITS, SHF_ALLOC, 1, 0},
    [HOST_FATBIN] = {".nv_fatbin", SHT_PROGBITS, SHF_ALLOC, 8, 0},
    [HOST_SEGMENT] = {".nvFatBinSegment", SHT_PROGBITS, SHF_WRITE | SHF_ALLOC, 8, 0},
    [HOST_SEGMENT_RELOCATIONS] = {".rela.nvFatBinSegment", SHT_RELA, SHF_INFO_LINK, 8,
                                  ELF_RELA_SIZE},
    [HOST_STACK_NOTE] = {".note.GNU-stack", SHT_PROGBITS, 0, 1, 0},
    [HOST_FRAMES] = {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0},
    [HOST_FRAMES_RELOCATIONS] = {".rela.eh_frame", SHT_RELA, SHF_INFO_LINK, 8, ELF_RELA_SIZE},
    [HOST_SYMBOLS] = {".symtab", SHT_SYMTAB, 0, 8, ELF_SYMBOL_SIZE},
    [HOST_SYMBOL_NAMES] = {".strtab", SHT_STRTAB, 0, 1, 0},
    [HOST_SECTION_NAMES] = {".shstrtab", SHT_STRTAB, 0, 1, 0},
};

/* --------------------------------------------------------------------------------------------- */
/* Contents                                                                                      */

/* Adds `size` zeroed bytes at the end of a section and returns their address. */
static uint8_t *extend(struct host_sections *sections, enum host_section section, uint64_t size)
{
    uint64_t old = sections->sizes[section], needed = old + size;
    if (needed > sections->capacities[section]) {
        uint64_t capacity = needed < 512 ? 1024 : 2 * needed;
        uint8_t *larger = arena_alloc(sections->arena, capacity);
        if (old)
            memcpy(larger, sections->contents[section], old);
        sections->contents[section] = larger;
        sections->capacities[section] = capacity;
    }
    sections->sizes[section] = needed;
    return sections->contents[section] + old;
}

void host_sections_add(struct host_sections *sections, enum host_section section, const void *data,
                       uint64_t size)
{
    uint8_t *end = extend(sections, section, size);
    if (size)
        memcpy(end, data, size);
}

static void put_symbol(struct host_sections *sections, const struct host_symbol *symbol,
                       unsigned index)
{
    enum { INFO = 4, INDEX = 6, VALUE = 8, SIZE = 16 };
    unsigned binding = sections->locals_count ? STB_GLOBAL : STB_LOCAL;
    uint8_t *entry = extend(sections, HOST_SYMBOLS, ELF_SYMBOL_SIZE);
    if (*symbol->name) {
        store_u32(entry, (uint32_t)sections->sizes[HOST_SYMBOL_NAMES]);
        host_sections_add(sections, HOST_SYMBOL_NAMES, symbol->name, strlen(symbol->name) + 1);
    }
    entry[INFO] = (uint8_t)(binding << 4 | symbol->type);
    store_u16(entry + INDEX, (uint16_t)index);
    store_u64(entry + VALUE, symbol->value);
    store_u64(entry + SIZE, symbol->size);
    sections->symbols_count++;
}

uint32_t host_sections_add_symbol(struct host_sections *sections, const struct host_symbol *symbol)
{
    put_symbol(sections, symbol, symbol->section);
    return sections->symbols_count - 1;
}

void host_sections_start(struct host_sections *sections)
{
    static const struct host_symbol NONE = {.name = ""};
    static const struct host_symbol FILE_NAME = {.name = "warpld", .type = STT_FILE};
    host_sections_add(sections, HOST_SYMBOL_NAMES, "", 1);
    put_symbol(sections, &NONE, 0);
    put_symbol(sections, &FILE_NAME, SHN_ABS);
}

void host_sections_relocate(struct host_sections *sections, enum host_section section,
                            struct host_relocation relocation)
{
    enum { TYPE = 8, SYMBOL = 12, ADDEND = 16 };
    uint8_t *entry = extend(sections, section + 1, ELF_RELA_SIZE);
    store_u64(entry, relocation.offset);
    store_u32(entry + TYPE, relocation.type);
    store_u32(entry + SYMBOL, relocation.symbol);
    store_u64(entry + ADDEND, (uint64_t)relocation.addend);
}

/* --------------------------------------------------------------------------------------------- */
/* The file                                                                                      */

static void add_header(struct host_sections *sections, struct pieces *file, unsigned machine,
                       uint64_t headers_offset)
{
    static const uint8_t IDENTIFICATION[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    uint8_t *header = arena_alloc(sections->arena, ELF_HEADER_SIZE);
    memcpy(header, IDENTIFICATION, sizeof IDENTIFICATION);
    store_u16(header + E_TYPE, ET_REL);
    store_u16(header + E_MACHINE, (uint16_t)machine);
    store_u32(header + E_VERSION, 1);
    store_u64(header + E_SHOFF, headers_offset);
    store_u16(header + E_EHSIZE, ELF_HEADER_SIZE);
    store_u16(header + E_SHENTSIZE, ELF_SECTION_HEADER_SIZE);
    store_u16(header + E_SHNUM, HOST_SECTION_COUNT);
    store_u16(header + E_SHSTRNDX, HOST_SECTION_NAMES);
    pieces_add(file, (struct bytes){header, ELF_HEADER_SIZE});
}

static void fill_links(const struct host_sections *sections, enum host_section section,
                       uint8_t *header)
{
    if (KINDS[section].type == SHT_RELA) {
        store_u32(header + SH_LINK, HOST_SYMBOLS);
        store_u32(header + SH_INFO, section - 1);
    } else if (KINDS[section].type == SHT_SYMTAB) {
        store_u32(header + SH_LINK, HOST_SYMBOL_NAMES);
        store_u32(header + SH_INFO, sections->locals_count);
    }
}

/* Fills in the header of a section. The contents begin at `offset`, rounded up to the alignment of
 * the section. Returns the offset of their end. */
static uint64_t fill_section(struct host_sections *sections, enum host_section section,
                             uint8_t *header, uint64_t offset)
{
    const struct section_kind *kind = &KINDS[section];
    if (section == HOST_UNDEFINED)
        return offset;
    if (kind->type != SHT_NOBITS)
        offset = align_up(offset, kind->alignment);
    store_u32(header + SH_NAME, (uint32_t)sections->sizes[HOST_SECTION_NAMES]);
    host_sections_add(sections, HOST_SECTION_NAMES, kind->name, strlen(kind->name) + 1);
    store_u32(header + SH_TYPE, kind->type);
    store_u64(header + SH_FLAGS, kind->flags);
    store_u64(header + SH_OFFSET, offset);
    /* The size of .shstrtab, the last section, is complete by now. */
    store_u64(header + SH_SIZE, sections->sizes[section]);
    store_u64(header + SH_ADDRALIGN, kind->alignment);
    store_u64(header + SH_ENTSIZE, kind->entry_size);
    fill_links(sections, section, header);
    return offset + (kind->type == SHT_NOBITS ? 0 : sections->sizes[section]);
}

static void add_contents(const struct host_sections *sections, struct pieces *file,
                         enum host_section section, const struct pieces *fatbin)
{
    if (section == HOST_UNDEFINED || KINDS[section].type == SHT_NOBITS)
        return;
    pieces_align(file, KINDS[section].alignment);
    if (section != HOST_FATBIN)
        pieces_add(file, (struct bytes){sections->contents[section], sections->sizes[section]});
    else
        for (uint32_t i = 0; i < fatbin->list_count; i++)
            pieces_add(file, fatbin->list[i]);
}

void host_sections_write(struct host_sections *sections, struct pieces *file, unsigned machine,
                         const struct pieces *fatbin)
{
    enum { ALL_HEADERS = HOST_SECTION_COUNT * ELF_SECTION_HEADER_SIZE };
    uint8_t *headers = arena_alloc(sections->arena, ALL_HEADERS);
    uint64_t offset = ELF_HEADER_SIZE;
    sections->sizes[HOST_FATBIN] = fatbin->size;
    host_sections_add(sections, HOST_SECTION_NAMES, "", 1);
    for (int i = 0; i < HOST_SECTION_COUNT; i++)
        offset = fill_section(sections, (enum host_section)i,
                              headers + (size_t)i * ELF_SECTION_HEADER_SIZE, offset);
    add_header(sections, file, machine, align_up(offset, 8));
    for (int i = 0; i < HOST_SECTION_COUNT; i++)
        add_contents(sections, file, (enum host_section)i, fatbin);
    pieces_align(file, 8);
    pieces_add(file, (struct bytes){headers, ALL_HEADERS});
}
