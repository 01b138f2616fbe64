/* Ways to break the rules about symbols; see broken_symbols.h. */
#include "broken_symbols.h"

#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"

void break_symtab_missing(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".symtab", SECTION_TYPE, SHT_PROGBITS);
}

void break_symtab_duplicate(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".nv.merc.symtab", SECTION_TYPE, SHT_SYMTAB);
    device_elf_set_u64(elf, ".nv.merc.symtab", SECTION_FLAGS, 0);
}

void break_extended_duplicate(struct device_elf *elf)
{
    uint8_t *copy = device_elf_header(elf, ".nv.global");
    memcpy(copy, device_elf_header(elf, ".symtab_shndx"), ELF_SECTION_HEADER_SIZE);
    uint8_t words[4 * SYMBOL_COUNT_BOTH] = {0};
    device_elf_replace(elf, ".symtab_shndx", words, sizeof words);
}

void break_extended_size(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".symtab_shndx", SECTION_SIZE, UINT64_C(4) * (SYMBOL_COUNT_BOTH - 1));
}

void break_first_global(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".symtab", SECTION_INFO, SYMBOL_COUNT_BOTH + 1);
}

void break_null_symbol(struct device_elf *elf)
{
    device_elf_symbol(elf, ".symtab", SYMBOL_NULL)[SYMBOL_SIZE] = 1;
}

void break_symbol_name(struct device_elf *elf)
{
    store_u32(device_elf_symbol(elf, ".symtab", SYMBOL_KERNEL) + SYMBOL_NAME, UINT32_MAX);
}

/* Makes a symbol table of 200 symbols. All new symbols share one name of 64 KiB, so that the names
 * have more bytes in total than the reader accepts. */
void break_names_total(struct device_elf *elf)
{
    enum { NAME_SIZE = 64 << 10, MORE = 200 };
    static uint8_t strings[NAME_SIZE], symbols[MORE * ELF_SYMBOL_SIZE];
    const uint64_t old_size = SYMBOL_COUNT_BOTH * (uint64_t)ELF_SYMBOL_SIZE;
    memset(strings, 'a', NAME_SIZE - 1);
    memcpy(symbols, device_elf_contents(elf, ".symtab"), old_size);
    for (size_t i = SYMBOL_COUNT_BOTH; i < MORE; i++)
        symbols[i * ELF_SYMBOL_SIZE + SYMBOL_INFO] = STB_GLOBAL << 4;
    device_elf_replace(elf, ".strtab", strings, NAME_SIZE);
    device_elf_replace(elf, ".symtab", symbols, MORE * (size_t)ELF_SYMBOL_SIZE);
    uint8_t *header = device_elf_header(elf, ".symtab_shndx");
    store_u32(header + SECTION_TYPE, SHT_PROGBITS);
    store_u32(header + SECTION_NAME, load_u32(header + SECTION_NAME) + 1); /* no special name */
}

void break_symbol_binding(struct device_elf *elf)
{
    device_elf_symbol(elf, ".symtab", SYMBOL_DATA)[SYMBOL_INFO] = 10 << 4 | STT_CUDA_OBJECT;
}

void break_symbol_local(struct device_elf *elf)
{
    device_elf_symbol(elf, ".nv.merc.symtab", SYMBOL_DATA)[SYMBOL_INFO] = STT_CUDA_OBJECT;
}

void break_symbol_section(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_ZERO) + SYMBOL_SECTION, 1000);
}

void break_symbol_extended(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".nv.merc.symtab", SYMBOL_ZERO) + SYMBOL_SECTION, SHN_XINDEX);
}

void break_symbol_view(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".nv.merc.nv.global.init"));
}

void break_symbol_undefined(struct device_elf *elf)
{
    uint8_t *symbol = device_elf_symbol(elf, ".symtab", SYMBOL_TEXT_SECTION);
    symbol[SYMBOL_INFO] = STT_CUDA_OBJECT;
    store_u16(symbol + SYMBOL_SECTION, SHN_UNDEF);
}

void break_symbol_type(struct device_elf *elf)
{
    uint8_t *symbol = device_elf_symbol(elf, ".symtab", SYMBOL_TEXT_SECTION);
    symbol[SYMBOL_INFO] = 8;
    store_u16(symbol + SYMBOL_SECTION, SHN_UNDEF);
}

void break_function_visibility(struct device_elf *elf)
{
    device_elf_symbol(elf, ".symtab", SYMBOL_CALLEE)[SYMBOL_OTHER] = STV_INTERNAL;
}

void break_function_value(struct device_elf *elf)
{
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_KERNEL) + SYMBOL_VALUE, 64);
}

void break_function_alias(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".text.k"));
}

void break_symbol_function(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".nv.global.init"));
}

void break_symbol_size(struct device_elf *elf)
{
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_SIZE, UINT64_C(1) << 48);
}

void break_symbol_alignment(struct device_elf *elf)
{
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_COMMON) + SYMBOL_VALUE, 12);
}

void break_symbol_space(struct device_elf *elf)
{
    device_elf_symbol(elf, ".symtab", SYMBOL_ZERO)[SYMBOL_OTHER] = STO_CUDA_SHARED;
}

void break_symbol_outside(struct device_elf *elf)
{
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SIZE, 9);
}
