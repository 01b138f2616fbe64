/* A small valid device ELF; see device_elf.h. */
#include "device_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/elf.h"
#include "format/info_record.h"
#include "format/note.h"
#include "format/section_type.h"

/* ---------------------------------------------------------------------------------------------- */
/* Laying out */

enum { SECTION_LIMIT = 40, TEXT_LIMIT = 1024, CONTENT_LIMIT = 512 };

/* Section indices, in the order in which the functions below add them. */
enum {
    NULL_SECTION,
    NAMES = DEVICE_ELF_NAMES,
    STRINGS,
    SYMTAB,
    SHNDX,
    TKINFO,
    CUINFO,
    INFO,
    COMPAT,
    INFO_K,
    CALLGRAPH,
    PROTOTYPE,
    UFT_ENTRY,
    RELA_TEXT,
    REL_DATA,
    CONSTANT0,
    TEXT,
    DATA,
    ZERO,
    SHARED,
    MERCURY_TEXT,
    MERCURY_INFO_K,
    MERCURY_RELA,
    MERCURY_DATA,
    MERCURY_SYMTAB,
};

struct built_section {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint32_t link;
    uint32_t info;
    uint64_t alignment;
    uint64_t entry_size;
    uint64_t size;
    uint32_t shares; /* the section whose bytes this one shares; 0: it has separate bytes */
    uint8_t content[CONTENT_LIMIT];
};

struct builder {
    struct built_section sections[SECTION_LIMIT];
    uint32_t count;
    char names[TEXT_LIMIT], strings[TEXT_LIMIT];
    uint32_t names_size, strings_size;
};

static uint32_t add_string(char *table, uint32_t *size, const char *text)
{
    uint32_t offset = *size;
    size_t length = strlen(text) + 1;
    assert_true(offset + length <= TEXT_LIMIT);
    memcpy(table + offset, text, length);
    *size += (uint32_t)length;
    return offset;
}

static struct built_section *add(struct builder *builder, const char *name, uint32_t type,
                                 uint64_t flags, uint64_t alignment)
{
    struct built_section *section = &builder->sections[builder->count++];
    section->name = add_string(builder->names, &builder->names_size, name);
    section->type = type;
    section->flags = flags;
    section->alignment = alignment;
    return section;
}

static void put_words(struct built_section *section, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++, section->size += 4)
        store_u32(section->content + section->size, words[i]);
}

#define PUT(section, ...)                                                                          \
    put_words((section), (const uint32_t[]){__VA_ARGS__},                                          \
              sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

static void put_symbol(struct builder *builder, struct built_section *section,
                       struct elf_symbol symbol)
{
    uint8_t *entry = section->content + section->size;
    if (symbol.name)
        store_u32(entry, add_string(builder->strings, &builder->strings_size, symbol.name));
    entry[SYMBOL_INFO] = (uint8_t)(symbol.binding << 4 | symbol.type);
    entry[SYMBOL_OTHER] = symbol.other;
    store_u16(entry + SYMBOL_SECTION, (uint16_t)symbol.section);
    store_u64(entry + SYMBOL_VALUE, symbol.value);
    store_u64(entry + SYMBOL_SIZE, symbol.size);
    section->size += ELF_SYMBOL_SIZE;
}

static void put_variable(struct builder *builder, struct built_section *table, const char *name,
                         uint32_t section, uint64_t value, uint64_t size)
{
    put_symbol(builder, table,
               (struct elf_symbol){.name = name,
                                   .binding = STB_GLOBAL,
                                   .type = STT_CUDA_OBJECT,
                                   .other = section == SHARED ? STO_CUDA_SHARED : STO_CUDA_GLOBAL,
                                   .section = section,
                                   .value = value,
                                   .size = size});
}

static void put_function(struct builder *builder, struct built_section *table, const char *name,
                         uint32_t section, uint64_t size)
{
    put_symbol(builder, table,
               (struct elf_symbol){.name = name,
                                   .binding = STB_GLOBAL,
                                   .type = STT_FUNC,
                                   .other = section ? STO_CUDA_ENTRY : 0,
                                   .section = section,
                                   .size = size});
}

static void put_relocation(struct built_section *section, uint64_t offset, uint32_t type,
                           uint32_t symbol, bool has_addend)
{
    uint8_t *entry = section->content + section->size;
    store_u64(entry, offset);
    store_u32(entry + 8, type);
    store_u32(entry + 12, symbol);
    section->size += has_addend ? ELF_RELA_SIZE : ELF_REL_SIZE;
}

/* ---------------------------------------------------------------------------------------------- */
/* The sections */

static void add_symbols(struct builder *builder, struct built_section *section, uint32_t text,
                        uint32_t data, uint64_t code_size)
{
    section->link = STRINGS;
    section->info = SYMBOL_KERNEL;
    section->entry_size = ELF_SYMBOL_SIZE;
    put_symbol(builder, section, (struct elf_symbol){0});
    put_symbol(builder, section,
               (struct elf_symbol){.name = ".text.k", .type = STT_SECTION, .section = text});
    put_symbol(builder, section, (struct elf_symbol){.type = STT_SECTION, .section = CONSTANT0});
    put_function(builder, section, "k", text, code_size);
    put_function(builder, section, "f", SHN_UNDEF, 0);
    put_variable(builder, section, "data", data, 8, 8);
    put_variable(builder, section, "zero", ZERO, 0, 4);
    put_variable(builder, section, "common", SHN_COMMON, 4, 12);
    put_variable(builder, section, "shared", SHARED, 4, 16);
    put_symbol(builder, section,
               (struct elf_symbol){.name = "weak", .binding = STB_WEAK, .type = STT_OBJECT});
}

static void add_notes(struct builder *builder)
{
    const struct note_tkinfo tkinfo = {"", "cc", "1.0", "test", "-c"};
    const struct note_cuinfo cuinfo = {NOTE_CUINFO_VERSION, 100, 130};
    struct built_section *tools = add(builder, ".note.nv.tkinfo", SHT_NOTE, SHF_TKINFO_NOTE, 4);
    tools->size = note_tkinfo_size(&tkinfo);
    note_write_tkinfo(tools->content, &tkinfo);
    struct built_section *device =
        add(builder, ".note.nv.cuinfo", SHT_NOTE, SHF_CUINFO_NOTE | SHF_INFO_LINK, 4);
    device->link = TKINFO;
    device->info = COMPAT;
    device->size = note_cuinfo_size();
    note_write_cuinfo(device->content, &cuinfo);
}

static uint32_t record(unsigned format, unsigned code, unsigned value)
{
    return format | code << 8 | value << 16;
}

static void add_attributes(struct builder *builder)
{
    struct built_section *info = add(builder, ".nv.info", SHT_CUDA_INFO, 0, 4);
    info->link = SYMTAB;
    PUT(info, record(INFO_FORMAT_SIZED, EIATTR_REGCOUNT, 8), SYMBOL_KERNEL, 10);
    PUT(info, record(INFO_FORMAT_SIZED, EIATTR_FRAME_SIZE, 8), SYMBOL_KERNEL, 0);
    struct built_section *compat = add(builder, ".nv.compat", SHT_CUDA_COMPAT, 0, 4);
    PUT(compat, record(INFO_FORMAT_BYTE, 9, 0), record(INFO_FORMAT_SIZED, 11, 4), 0);
    struct built_section *kernel = add(builder, ".nv.info.k", SHT_CUDA_INFO, SHF_INFO_LINK, 4);
    kernel->link = SYMTAB;
    kernel->info = TEXT;
    PUT(kernel, record(INFO_FORMAT_SIZED, EIATTR_EXTERNS, 4), SYMBOL_CALLEE);
    PUT(kernel, record(INFO_FORMAT_SIZED, EIATTR_CRS_STACK_SIZE, 4), 0);
    PUT(kernel, record(INFO_FORMAT_BYTE, EIATTR_NUM_BARRIERS, 1));
    PUT(kernel, record(INFO_FORMAT_SIZED, EIATTR_KPARAM_INFO, 12), 0, 0, 0);
    PUT(kernel, record(INFO_FORMAT_SIZED, EIATTR_PARAM_CBANK, 8), SYMBOL_BANK, 4 << 16);
    PUT(kernel, record(INFO_FORMAT_HALF, EIATTR_CBANK_PARAM_SIZE, 4));
}

static void add_callgraph(struct builder *builder)
{
    uint32_t shape = add_string(builder->strings, &builder->strings_size, "#ii");
    struct built_section *calls = add(builder, ".nv.callgraph", SHT_CUDA_CALLGRAPH, 0, 4);
    calls->link = SYMTAB;
    calls->entry_size = ELF_PAIR_SIZE;
    PUT(calls, 0, (uint32_t)CALLGRAPH_CALLS, SYMBOL_KERNEL, SYMBOL_CALLEE);
    PUT(calls, 0, (uint32_t)CALLGRAPH_ADDRESS_TAKEN, SYMBOL_CALLEE, shape);
    PUT(calls, 0, (uint32_t)CALLGRAPH_INDIRECT_CALLERS, SYMBOL_KERNEL, shape);
    PUT(calls, 0, (uint32_t)CALLGRAPH_TAKES_ADDRESS, SYMBOL_KERNEL, SYMBOL_CALLEE);
    struct built_section *prototypes = add(builder, ".nv.prototype", SHT_CUDA_PROTOTYPE, 0, 4);
    prototypes->link = SYMTAB;
    prototypes->entry_size = ELF_PAIR_SIZE;
    PUT(prototypes, SYMBOL_KERNEL, shape);
    struct built_section *entries = add(builder, ".nv.uft.entry", SHT_CUDA_UFT_ENTRY, 0, 8);
    entries->link = SYMTAB;
    entries->entry_size = ELF_UNIFIED_ENTRY_SIZE;
    PUT(entries, SYMBOL_KERNEL, 1, 0, 0, 0, 0, 0, 0);
}

static void add_relocations(struct builder *builder)
{
    struct built_section *code = add(builder, ".rela.text.k", SHT_RELA, SHF_INFO_LINK, 8);
    code->link = SYMTAB;
    code->info = TEXT;
    code->entry_size = ELF_RELA_SIZE;
    put_relocation(code, 0x20, 56, SYMBOL_DATA, true);
    put_relocation(code, 0x10, 57, SYMBOL_DATA, true);
    struct built_section *data = add(builder, ".rel.nv.global.init", SHT_REL, SHF_INFO_LINK, 8);
    data->link = SYMTAB;
    data->info = DATA;
    data->entry_size = ELF_REL_SIZE;
    put_relocation(data, 0, 2, SYMBOL_KERNEL, false);
}

static void add_memory(struct builder *builder)
{
    struct built_section *bank =
        add(builder, ".nv.constant0.k", SHT_CUDA_CONSTANT0, SHF_ALLOC | SHF_INFO_LINK, 4);
    bank->info = TEXT;
    bank->size = 16;
    struct built_section *text =
        add(builder, ".text.k", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 128);
    text->link = SYMTAB;
    text->info = SYMBOL_KERNEL;
    text->size = 128;
    add(builder, ".nv.global.init", SHT_CUDA_GLOBAL_INIT, SHF_ALLOC | SHF_WRITE, 8)->size = 16;
    add(builder, ".nv.global", SHT_CUDA_GLOBAL, SHF_ALLOC | SHF_WRITE, 4)->size = 4;
    add(builder, ".nv_debug.shared", SHT_CUDA_SHARED, SHF_ALLOC | SHF_WRITE, 4)->size = 16;
}

static void add_mercury(struct builder *builder)
{
    struct built_section *text =
        add(builder, ".nv.capmerc.text.k", SHT_MERCURY_CODE, SHF_MERCURY, 16);
    text->link = MERCURY_SYMTAB;
    text->info = SYMBOL_KERNEL;
    PUT(text, TEXT, 0xc0000001, 0);
    struct built_section *info =
        add(builder, ".nv.merc.nv.info.k", SHT_MERCURY_INFO, SHF_MERCURY | SHF_INFO_LINK, 4);
    info->link = MERCURY_SYMTAB;
    info->info = MERCURY_TEXT;
    PUT(info, record(INFO_FORMAT_SIZED, EIATTR_EXTERNS, 4), SYMBOL_CALLEE);
    PUT(info, record(INFO_FORMAT_SIZED, EIATTR_REGCOUNT, 8), SYMBOL_KERNEL, 10);
    PUT(info, record(INFO_FORMAT_SIZED, EIATTR_FRAME_SIZE, 8), SYMBOL_KERNEL, 0);
    struct built_section *relocations =
        add(builder, ".nv.merc.rela.text.k", SHT_MERCURY_RELA, SHF_MERCURY | SHF_INFO_LINK, 8);
    relocations->link = MERCURY_SYMTAB;
    relocations->info = MERCURY_TEXT;
    relocations->entry_size = ELF_RELA_SIZE;
    put_relocation(relocations, 0x98, 0x10002, SYMBOL_CALLEE, true); /* in the expanded code */
    struct built_section *data = add(builder, ".nv.merc.nv.global.init", SHT_CUDA_GLOBAL_INIT,
                                     SHF_MERCURY | SHF_ALLOC | SHF_WRITE, 8);
    data->shares = DATA;
    data->size = 16;
    add_symbols(builder, add(builder, ".nv.merc.symtab", SHT_MERCURY_SYMTAB, SHF_MERCURY, 8),
                MERCURY_TEXT, MERCURY_DATA, 0xa0);
}

static void add_sections(struct builder *builder)
{
    builder->names_size = builder->strings_size = 1;
    builder->count = NAMES; /* the null section */
    add(builder, ".shstrtab", SHT_STRTAB, 0, 1);
    add(builder, ".strtab", SHT_STRTAB, 0, 1);
    add_symbols(builder, add(builder, ".symtab", SHT_SYMTAB, 0, 8), TEXT, DATA, 128);
    struct built_section *extended = add(builder, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 4);
    extended->link = SYMTAB;
    extended->entry_size = 4;
    extended->size = UINT64_C(4) * SYMBOL_COUNT_BOTH;
    add_notes(builder);
    add_attributes(builder);
    add_callgraph(builder);
    add_relocations(builder);
    add_memory(builder);
    add_mercury(builder);
    builder->sections[NAMES].size = builder->names_size;
    builder->sections[STRINGS].size = builder->strings_size;
    memcpy(builder->sections[NAMES].content, builder->names, builder->names_size);
    memcpy(builder->sections[STRINGS].content, builder->strings, builder->strings_size);
}

/* ---------------------------------------------------------------------------------------------- */
/* Writing */

static void write_section_header(uint8_t *header, const struct built_section *section,
                                 uint64_t offset)
{
    store_u32(header + SECTION_NAME, section->name);
    store_u32(header + SECTION_TYPE, section->type);
    store_u64(header + SECTION_FLAGS, section->flags);
    store_u64(header + SECTION_OFFSET, offset);
    store_u64(header + SECTION_SIZE, section->size);
    store_u32(header + SECTION_LINK, section->link);
    store_u32(header + SECTION_INFO, section->info);
    store_u64(header + SECTION_ALIGNMENT, section->alignment);
    store_u64(header + SECTION_ENTRY_SIZE, section->entry_size);
}

static void write_elf_header(uint8_t *header, uint32_t sections, uint64_t section_headers,
                             uint64_t program_headers)
{
    static const uint8_t IDENT[] = {
        0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, ELFOSABI_CUDA, ABIVERSION_CUDA};
    memcpy(header, IDENT, sizeof IDENT);
    store_u16(header + HEADER_TYPE, ET_REL);
    store_u16(header + HEADER_MACHINE, EM_CUDA);
    store_u64(header + HEADER_PHOFF, program_headers);
    store_u64(header + HEADER_SHOFF, section_headers);
    store_u32(header + HEADER_FLAGS, EF_MERCURY_CODE | 100u << 8 | (uint32_t)CUINFO << 24);
    store_u16(header + HEADER_EHSIZE, ELF_HEADER_SIZE);
    store_u16(header + HEADER_PHENTSIZE, ELF_PROGRAM_HEADER_SIZE);
    store_u16(header + HEADER_PHNUM, 1);
    store_u16(header + HEADER_SHENTSIZE, ELF_SECTION_HEADER_SIZE);
    store_u16(header + HEADER_SHNUM, (uint16_t)sections);
    store_u16(header + HEADER_SHSTRNDX, NAMES);
}

static uint64_t place_sections(const struct builder *builder, uint64_t offsets[SECTION_LIMIT])
{
    uint64_t cursor = ELF_HEADER_SIZE;
    for (uint32_t i = NAMES; i < builder->count; i++) {
        const struct built_section *section = &builder->sections[i];
        cursor = align_up(cursor, section->alignment);
        offsets[i] = section->shares ? offsets[section->shares] : cursor;
        if (!section->shares && section_type_has_bytes(section->type))
            cursor += section->size;
    }
    return align_up(cursor, 8);
}

void device_elf_build(struct device_elf *elf)
{
    struct builder *builder = calloc(1, sizeof *builder);
    uint64_t offsets[SECTION_LIMIT] = {0};
    assert_non_null(builder);
    add_sections(builder);
    uint64_t section_headers = place_sections(builder, offsets);
    uint64_t program_headers = section_headers + builder->count * (uint64_t)ELF_SECTION_HEADER_SIZE;
    elf->size = program_headers + ELF_PROGRAM_HEADER_SIZE;
    elf->bytes = calloc(1, elf->size);
    assert_non_null(elf->bytes);
    write_elf_header(elf->bytes, builder->count, section_headers, program_headers);
    for (uint64_t i = NAMES; i < builder->count; i++) {
        const struct built_section *section = &builder->sections[i];
        write_section_header(elf->bytes + section_headers + i * ELF_SECTION_HEADER_SIZE, section,
                             offsets[i]);
        if (section_type_has_bytes(section->type))
            memcpy(elf->bytes + offsets[i], section->content, section->size);
    }
    store_u32(elf->bytes + program_headers, PT_LOAD);
    store_u64(elf->bytes + program_headers + 32, 64);
    free(builder);
}

void device_elf_read(struct device_elf *elf, const char *path)
{
    enum { MOST_BYTES = 1 << 16 };
    FILE *file = fopen(path, "rb");
    elf->bytes = calloc(1, MOST_BYTES);
    if (!file || !elf->bytes)
        fail_msg("%s cannot be read", path);
    elf->size = fread(elf->bytes, 1, MOST_BYTES, file);
    fclose(file);
    assert_in_range(elf->size, 1, MOST_BYTES - 1);
    elf->bytes = realloc(elf->bytes, elf->size);
    assert_non_null(elf->bytes);
}

void device_elf_free(struct device_elf *elf)
{
    free(elf->bytes);
    elf->bytes = NULL;
}

/* ---------------------------------------------------------------------------------------------- */
/* Opening */

bool outcome_note_problem(void *context, const struct elf_problem *problem)
{
    struct outcome *outcome = context;
    if (!outcome->calls++)
        outcome->first = *problem;
    outcome->seen[problem->rule]++;
    outcome->damages += !elf_rule_is_exception(problem->rule);
    return !outcome->stop_at_once;
}

void device_elf_open(const struct device_elf *elf, struct outcome *outcome)
{
    struct arena arena;
    struct elf_view view;
    arena_init(&arena, fail_out_of_memory, NULL);
    outcome->opened = elf_view_open(&view, (struct bytes){elf->bytes, elf->size}, &arena,
                                    outcome_note_problem, outcome);
    unsigned damages = outcome->damages;
    if (outcome->opened && !outcome->calls)
        elf_view_check_strictly(&view, &arena, outcome_note_problem, outcome);
    outcome->damages = damages;
    arena_destroy(&arena);
}

void fail_out_of_memory(void *owner)
{
    (void)owner;
    fail_msg("out of memory");
    abort();
}
