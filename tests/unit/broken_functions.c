/* Functions that break a rule about functions, relocations, attributes or the call graph. */
#include "broken_functions.h"

#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"
#include "format/info_record.h"

/* Indices of 32-bit words: RELA_* in .rela.text.k, INFO_* in .nv.info, OWN_* in .nv.info.k.
 * INFO_WORDS is the size of .nv.info in words. */
enum {
    RELA_OFFSET = 0,
    RELA_TYPE = 2,
    RELA_SYMBOL = 3,
    INFO_REGISTERS = 0,
    INFO_FRAME = 3,
    INFO_WORDS = 6,
    OWN_BARRIERS = 4,
    OWN_BANK = 10,
    OWN_RANGE = 11,
    OWN_SIZE = 12,
};

static uint32_t sized(unsigned code)
{
    enum { SIZE = 8 };
    return INFO_FORMAT_SIZED | code << 8 | SIZE << 16;
}

/* ---------------------------------------------------------------------------------------------- */
/* Sections                                                                                       */

void break_section_flags(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.global", SECTION_FLAGS, SHF_ALLOC);
}

void break_owner_name(struct device_elf *elf)
{
    uint32_t name = load_u32(device_elf_header(elf, ".nv.info.k") + SECTION_NAME);
    device_elf_contents(elf, ".shstrtab")[name + strlen(".nv.info.")] = 'j';
}

void break_code_name(struct device_elf *elf)
{
    uint32_t name = load_u32(device_elf_symbol(elf, ".symtab", SYMBOL_KERNEL) + SYMBOL_NAME);
    device_elf_contents(elf, ".strtab")[name] = 'j';
}

void break_code_size(struct device_elf *elf)
{
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_KERNEL) + SYMBOL_SIZE, 64);
}

/* ---------------------------------------------------------------------------------------------- */
/* Relocations                                                                                    */

void break_relocation_type(struct device_elf *elf)
{
    device_elf_set_word(elf, ".rela.text.k", RELA_TYPE, 0xfff0);
}

void break_relocation_view(struct device_elf *elf)
{
    device_elf_set_word(elf, ".rela.text.k", RELA_TYPE, 0x10002);
}

void break_relocation_table(struct device_elf *elf)
{
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_TEXT_SECTION) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".nv.callgraph"));
    device_elf_set_word(elf, ".rela.text.k", RELA_SYMBOL, SYMBOL_TEXT_SECTION);
}

void break_relocation_no_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".rela.text.k", RELA_SYMBOL, 0);
}

void break_relocation_field(struct device_elf *elf)
{
    device_elf_set_word(elf, ".rela.text.k", RELA_OFFSET, 127);
}

/* ---------------------------------------------------------------------------------------------- */
/* Attributes                                                                                     */

void add_function_record(struct device_elf *elf, unsigned code, uint32_t symbol)
{
    uint8_t records[4 * (INFO_WORDS + 3)];
    memcpy(records, device_elf_contents(elf, ".nv.info"), 4 * (size_t)INFO_WORDS);
    store_u32(records + 4 * (size_t)INFO_WORDS, sized(code));
    store_u32(records + 4 * (size_t)INFO_WORDS + 4, symbol);
    store_u32(records + 4 * (size_t)INFO_WORDS + 8, 0);
    device_elf_replace(elf, ".nv.info", records, sizeof records);
}

void break_attribute_unknown(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info.k", OWN_BARRIERS, INFO_FORMAT_BYTE | 200 << 8);
}

void break_attribute_repeated(struct device_elf *elf)
{
    add_function_record(elf, EIATTR_REGCOUNT, SYMBOL_KERNEL);
}

void break_attribute_not_function(struct device_elf *elf)
{
    add_function_record(elf, EIATTR_MAX_STACK_SIZE, SYMBOL_DATA);
}

/* Moves the records of all functions from .nv.info to the attribute section of one function. This
 * needs two functions, which the object of device_elf_build does not have. */
void break_attribute_owner(struct device_elf *elf)
{
    device_elf_free(elf);
    device_elf_read(elf, "tests/invalid/data/program.sm_80.cubin");
    uint64_t size = load_u64(device_elf_header(elf, ".nv.info") + SECTION_SIZE);
    device_elf_replace(elf, ".nv.info.kernel", device_elf_contents(elf, ".nv.info"), size);
    device_elf_set_u64(elf, ".nv.info", SECTION_SIZE, 0);
}

void break_attribute_of_linker(struct device_elf *elf)
{
    add_function_record(elf, EIATTR_MIN_STACK_SIZE, SYMBOL_KERNEL);
}

void break_no_register_count(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info", INFO_REGISTERS, sized(EIATTR_MAX_STACK_SIZE));
}

void break_no_frame_size(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info", INFO_FRAME, sized(EIATTR_MAX_STACK_SIZE));
}

/* Only an executable must record the stack size of its kernels. The object does not, so it breaks
 * the rule when it is marked as an executable. */
void break_no_stack_size(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_TYPE, ET_EXEC);
}

void break_no_parameter_bank(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info.k", OWN_BANK, SYMBOL_TEXT_SECTION);
}

static void set_parameters_size(struct device_elf *elf, uint32_t size)
{
    device_elf_set_word(elf, ".nv.info.k", OWN_SIZE,
                        INFO_FORMAT_HALF | EIATTR_CBANK_PARAM_SIZE << 8 | size << 16);
}

void break_parameter_bank_size(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info.k", OWN_RANGE, 100 << 16);
    set_parameters_size(elf, 100);
}

void break_parameter_size(struct device_elf *elf)
{
    set_parameters_size(elf, 0);
}

/* ---------------------------------------------------------------------------------------------- */
/* The call graph                                                                                 */

void break_callgraph_headings(struct device_elf *elf)
{
    enum { LAST_HEADING = 13 };
    device_elf_set_word(elf, ".nv.callgraph", LAST_HEADING, (uint32_t)CALLGRAPH_CALLS);
}
