/* One way to break each rule of a device ELF; see broken_elf.h. */
#include "broken_elf.h"

#include <stdlib.h>

#include "broken_functions.h"
#include "broken_symbols.h"
#include "format/info_record.h"

static void break_header_truncated(struct device_elf *elf)
{
    elf->size = ELF_HEADER_SIZE - 1;
    elf->bytes = realloc(elf->bytes, elf->size);
}

static void break_not_elf(struct device_elf *elf)
{
    elf->bytes[1] = 'e';
}

static void break_class(struct device_elf *elf)
{
    elf->bytes[EI_CLASS] = ELFCLASS32;
}

static void break_byte_order(struct device_elf *elf)
{
    elf->bytes[EI_DATA] = 2;
}

static void break_machine(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_MACHINE, 62);
}

static void break_abi(struct device_elf *elf)
{
    elf->bytes[EI_OSABI] = ELFOSABI_CUDA_12;
}

static void break_header_size(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_EHSIZE, 52);
}

static void break_section_header_size(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_SHENTSIZE, 40);
}

static void break_no_sections(struct device_elf *elf)
{
    store_u64(elf->bytes + HEADER_SHOFF, 0);
}

/* With e_shnum = 0 the section count is sh_size of the null section, a 64-bit field. The count
 * UINT32_MAX puts the end of the section table past the end of the file. */
static void break_section_table_outside(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_SHNUM, 0);
    store_u64(elf->bytes + load_u64(elf->bytes + HEADER_SHOFF) + SECTION_SIZE, UINT32_MAX);
}

static void break_null_section(struct device_elf *elf)
{
    store_u32(elf->bytes + load_u64(elf->bytes + HEADER_SHOFF) + SECTION_TYPE, SHT_PROGBITS);
}

static void break_names_section(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_SHSTRNDX, (uint16_t)device_elf_index(elf, ".text.k"));
}

static void break_program_header_size(struct device_elf *elf)
{
    device_elf_set_header(elf, HEADER_PHENTSIZE, 32);
}

static void break_program_table_outside(struct device_elf *elf)
{
    store_u64(elf->bytes + HEADER_PHOFF, elf->size - 8);
}

static void break_segment_outside(struct device_elf *elf)
{
    uint64_t table = load_u64(elf->bytes + HEADER_PHOFF);
    store_u64(elf->bytes + table + 32, elf->size + 1);
}

static void break_cuinfo_index(struct device_elf *elf)
{
    elf->bytes[HEADER_FLAGS + 3] = (uint8_t)device_elf_index(elf, ".text.k");
}

static void break_section_name(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".nv.global", SECTION_NAME, 0x10000);
}

static void break_section_outside(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.constant0.k", SECTION_SIZE, UINT64_MAX - 8);
}

static void break_section_size(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.global", SECTION_SIZE, UINT64_C(1) << 60);
}

static void break_section_overlap(struct device_elf *elf)
{
    uint64_t offset = load_u64(device_elf_header(elf, ".text.k") + SECTION_OFFSET);
    device_elf_set_u64(elf, ".nv.constant0.k", SECTION_OFFSET, offset + 16);
}

static void break_alignment(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.global", SECTION_ALIGNMENT, 12);
}

static void break_section_view(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.info.k", SECTION_FLAGS, SHF_INFO_LINK | SHF_MERCURY);
}

static void break_code_mark(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.constant0.k", SECTION_FLAGS,
                       SHF_ALLOC | SHF_INFO_LINK | SHF_EXECINSTR);
}

static void break_strings_unterminated(struct device_elf *elf)
{
    uint8_t *header = device_elf_header(elf, ".strtab");
    device_elf_contents(elf, ".strtab")[load_u64(header + SECTION_SIZE) - 1] = 'x';
}

static void break_entry_size(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".rela.text.k", SECTION_ENTRY_SIZE, ELF_REL_SIZE);
}

static void break_table_size(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".rela.text.k", SECTION_SIZE, ELF_RELA_SIZE + 1);
}

static void break_link_range(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".nv.constant0.k", SECTION_LINK, 1000);
}

static void break_link_kind(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".rela.text.k", SECTION_LINK, device_elf_index(elf, ".nv.merc.symtab"));
}

static void break_info_range(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".rela.text.k", SECTION_INFO, 1000);
}

static void break_info_kind(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".nv.info.k", SECTION_INFO, device_elf_index(elf, ".nv.global"));
}

static void break_code_symbol(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".text.k", SECTION_INFO, SYMBOL_CALLEE | 10u << 24);
}

static void break_section_kind(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".nv.global", SECTION_NAME,
                       load_u32(device_elf_header(elf, ".nv.global.init") + SECTION_NAME));
}

/* Makes .nv.info a second section .nv.info.k: it gets the name and the owner of the kernel's
 * attributes. */
static void break_section_duplicate(struct device_elf *elf)
{
    uint32_t name = load_u32(device_elf_header(elf, ".nv.info.k") + SECTION_NAME);
    device_elf_set_u64(elf, ".nv.info", SECTION_FLAGS, SHF_INFO_LINK);
    device_elf_set_u32(elf, ".nv.info", SECTION_INFO, device_elf_index(elf, ".text.k"));
    device_elf_set_u32(elf, ".nv.info", SECTION_NAME, name);
}

/* Makes a second .nv.global: the header of .nv.prototype is overwritten with that of .nv.global. */
static void break_memory_repeated(struct device_elf *elf)
{
    memcpy(device_elf_header(elf, ".nv.prototype"), device_elf_header(elf, ".nv.global"),
           ELF_SECTION_HEADER_SIZE);
}

static void break_memory_flags(struct device_elf *elf)
{
    device_elf_set_u64(elf, ".nv.compat", SECTION_FLAGS, SHF_WRITE);
}

static void break_relocation_target(struct device_elf *elf)
{
    device_elf_set_u32(elf, ".rela.text.k", SECTION_INFO, device_elf_index(elf, ".nv.info"));
}

static void break_relocation_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".rel.nv.global.init", 3, SYMBOL_COUNT_BOTH);
}

static void break_relocation_offset(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.merc.rela.text.k", 0, 0xa0);
}

static void break_function_data(struct device_elf *elf)
{
    uint8_t record[12] = {SYMBOL_KERNEL};
    store_u32(record + 8, 1); /* the number of pairs, but no pair follows */
    device_elf_replace(elf, ".nv.uft.entry", record, sizeof record);
    device_elf_set_u32(elf, ".nv.uft.entry", SECTION_TYPE, SHT_CUDA_FUNCTION_DATA);
}

static void break_attribute_cut(struct device_elf *elf)
{
    store_u16(device_elf_contents(elf, ".nv.info") + 14, 12); /* the last record is too long */
}

static void break_attribute_format(struct device_elf *elf)
{
    device_elf_contents(elf, ".nv.compat")[0] = 5;
}

static void break_attribute_payload(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.info", 0, INFO_FORMAT_SIZED | EIATTR_REGCOUNT << 8 | 4u << 16);
    device_elf_set_word(elf, ".nv.info", 2, INFO_FORMAT_NONE | EIATTR_PAD << 8);
}

static void break_attribute_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.merc.nv.info.k", 1, SYMBOL_COUNT_BOTH);
}

static void break_callgraph_group(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.callgraph", 0, SYMBOL_KERNEL);
    device_elf_set_word(elf, ".nv.callgraph", 1, SYMBOL_CALLEE);
}

static void break_callgraph_heading(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.callgraph", 1, (uint32_t)-5);
}

static void break_callgraph_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.callgraph", 3, SYMBOL_DATA);
}

static void break_callgraph_string(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.callgraph", 7, 0x10000);
}

static void break_prototype_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.prototype", 0, SYMBOL_COUNT_BOTH);
}

static void break_prototype_string(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.prototype", 1, (uint32_t)-1);
}

static void break_note_cut(struct device_elf *elf)
{
    device_elf_set_word(elf, ".note.nv.tkinfo", 1, 0x1000);
}

static void break_note_cuinfo(struct device_elf *elf)
{
    device_elf_set_word(elf, ".note.nv.cuinfo", 1, 4);
    device_elf_set_u64(elf, ".note.nv.cuinfo", SECTION_SIZE, 28);
}

static void break_note_vendor(struct device_elf *elf)
{
    device_elf_set_word(elf, ".note.nv.cuinfo", 3, 0x61656c43);
}

static void break_note_tkinfo(struct device_elf *elf)
{
    device_elf_set_word(elf, ".note.nv.tkinfo", 8, 0x1000);
}

static void break_unified_symbol(struct device_elf *elf)
{
    device_elf_set_word(elf, ".nv.uft.entry", 0, SYMBOL_COUNT_BOTH);
}

const struct broken_rule BROKEN_RULES[] = {
    {ELF_RULE_HEADER_TRUNCATED, break_header_truncated},
    {ELF_RULE_NOT_ELF, break_not_elf},
    {ELF_RULE_CLASS, break_class},
    {ELF_RULE_BYTE_ORDER, break_byte_order},
    {ELF_RULE_MACHINE, break_machine},
    {ELF_RULE_ABI, break_abi},
    {ELF_RULE_HEADER_SIZE, break_header_size},
    {ELF_RULE_SECTION_HEADER_SIZE, break_section_header_size},
    {ELF_RULE_NO_SECTIONS, break_no_sections},
    {ELF_RULE_SECTION_TABLE_OUTSIDE, break_section_table_outside},
    {ELF_RULE_NULL_SECTION, break_null_section},
    {ELF_RULE_NAMES_SECTION, break_names_section},
    {ELF_RULE_PROGRAM_HEADER_SIZE, break_program_header_size},
    {ELF_RULE_PROGRAM_TABLE_OUTSIDE, break_program_table_outside},
    {ELF_RULE_SEGMENT_OUTSIDE, break_segment_outside},
    {ELF_RULE_CUINFO_INDEX, break_cuinfo_index},
    {ELF_RULE_SECTION_NAME, break_section_name},
    {ELF_RULE_SECTION_OUTSIDE, break_section_outside},
    {ELF_RULE_SECTION_SIZE, break_section_size},
    {ELF_RULE_SECTION_OVERLAP, break_section_overlap},
    {ELF_RULE_ALIGNMENT, break_alignment},
    {ELF_RULE_SECTION_VIEW, break_section_view},
    {ELF_RULE_CODE_MARK, break_code_mark},
    {ELF_RULE_STRINGS_UNTERMINATED, break_strings_unterminated},
    {ELF_RULE_ENTRY_SIZE, break_entry_size},
    {ELF_RULE_TABLE_SIZE, break_table_size},
    {ELF_RULE_LINK_RANGE, break_link_range},
    {ELF_RULE_LINK_KIND, break_link_kind},
    {ELF_RULE_INFO_RANGE, break_info_range},
    {ELF_RULE_INFO_KIND, break_info_kind},
    {ELF_RULE_CODE_SYMBOL, break_code_symbol},
    {ELF_RULE_SECTION_KIND, break_section_kind},
    {ELF_RULE_SECTION_DUPLICATE, break_section_duplicate},
    {ELF_RULE_MEMORY_REPEATED, break_memory_repeated},
    {ELF_RULE_MEMORY_FLAGS, break_memory_flags},
    {ELF_RULE_SYMTAB_MISSING, break_symtab_missing},
    {ELF_RULE_SYMTAB_DUPLICATE, break_symtab_duplicate},
    {ELF_RULE_EXTENDED_DUPLICATE, break_extended_duplicate},
    {ELF_RULE_EXTENDED_SIZE, break_extended_size},
    {ELF_RULE_FIRST_GLOBAL, break_first_global},
    {ELF_RULE_NULL_SYMBOL, break_null_symbol},
    {ELF_RULE_SYMBOL_NAME, break_symbol_name},
    {ELF_RULE_NAMES_TOTAL, break_names_total},
    {ELF_RULE_SYMBOL_BINDING, break_symbol_binding},
    {ELF_RULE_SYMBOL_LOCAL, break_symbol_local},
    {ELF_RULE_SYMBOL_SECTION, break_symbol_section},
    {ELF_RULE_SYMBOL_EXTENDED, break_symbol_extended},
    {ELF_RULE_SYMBOL_VIEW, break_symbol_view},
    {ELF_RULE_SYMBOL_UNDEFINED, break_symbol_undefined},
    {ELF_RULE_SYMBOL_TYPE, break_symbol_type},
    {ELF_RULE_SYMBOL_FUNCTION, break_symbol_function},
    {ELF_RULE_FUNCTION_VISIBILITY, break_function_visibility},
    {ELF_RULE_FUNCTION_VALUE, break_function_value},
    {ELF_RULE_FUNCTION_ALIAS, break_function_alias},
    {ELF_RULE_SYMBOL_SIZE, break_symbol_size},
    {ELF_RULE_SYMBOL_ALIGNMENT, break_symbol_alignment},
    {ELF_RULE_SYMBOL_SPACE, break_symbol_space},
    {ELF_RULE_SYMBOL_OUTSIDE, break_symbol_outside},
    {ELF_RULE_RELOCATION_TARGET, break_relocation_target},
    {ELF_RULE_RELOCATION_SYMBOL, break_relocation_symbol},
    {ELF_RULE_RELOCATION_OFFSET, break_relocation_offset},
    {ELF_RULE_FUNCTION_DATA, break_function_data},
    {ELF_RULE_ATTRIBUTE_CUT, break_attribute_cut},
    {ELF_RULE_ATTRIBUTE_FORMAT, break_attribute_format},
    {ELF_RULE_ATTRIBUTE_PAYLOAD, break_attribute_payload},
    {ELF_RULE_ATTRIBUTE_SYMBOL, break_attribute_symbol},
    {ELF_RULE_CALLGRAPH_GROUP, break_callgraph_group},
    {ELF_RULE_CALLGRAPH_HEADING, break_callgraph_heading},
    {ELF_RULE_CALLGRAPH_SYMBOL, break_callgraph_symbol},
    {ELF_RULE_CALLGRAPH_STRING, break_callgraph_string},
    {ELF_RULE_PROTOTYPE_SYMBOL, break_prototype_symbol},
    {ELF_RULE_PROTOTYPE_STRING, break_prototype_string},
    {ELF_RULE_NOTE_CUT, break_note_cut},
    {ELF_RULE_NOTE_CUINFO, break_note_cuinfo},
    {ELF_RULE_NOTE_VENDOR, break_note_vendor},
    {ELF_RULE_NOTE_TKINFO, break_note_tkinfo},
    {ELF_RULE_UNIFIED_SYMBOL, break_unified_symbol},
    {ELF_RULE_SECTION_FLAGS, break_section_flags},
    {ELF_RULE_OWNER_NAME, break_owner_name},
    {ELF_RULE_CODE_NAME, break_code_name},
    {ELF_RULE_CODE_SIZE, break_code_size},
    {ELF_RULE_RELOCATION_TYPE, break_relocation_type},
    {ELF_RULE_RELOCATION_VIEW, break_relocation_view},
    {ELF_RULE_RELOCATION_TABLE, break_relocation_table},
    {ELF_RULE_RELOCATION_NO_SYMBOL, break_relocation_no_symbol},
    {ELF_RULE_RELOCATION_FIELD, break_relocation_field},
    {ELF_RULE_ATTRIBUTE_UNKNOWN, break_attribute_unknown},
    {ELF_RULE_ATTRIBUTE_REPEATED, break_attribute_repeated},
    {ELF_RULE_ATTRIBUTE_NOT_FUNCTION, break_attribute_not_function},
    {ELF_RULE_ATTRIBUTE_OWNER, break_attribute_owner},
    {ELF_RULE_ATTRIBUTE_OF_LINKER, break_attribute_of_linker},
    {ELF_RULE_NO_REGISTER_COUNT, break_no_register_count},
    {ELF_RULE_NO_FRAME_SIZE, break_no_frame_size},
    {ELF_RULE_NO_STACK_SIZE, break_no_stack_size},
    {ELF_RULE_NO_PARAMETER_BANK, break_no_parameter_bank},
    {ELF_RULE_PARAMETER_BANK_SIZE, break_parameter_bank_size},
    {ELF_RULE_PARAMETER_SIZE, break_parameter_size},
    {ELF_RULE_CALLGRAPH_HEADINGS, break_callgraph_headings},
};

const size_t BROKEN_RULES_COUNT = sizeof BROKEN_RULES / sizeof *BROKEN_RULES;

void break_rule(struct device_elf *elf, enum elf_rule rule)
{
    for (size_t i = 0; i < BROKEN_RULES_COUNT; i++)
        if (BROKEN_RULES[i].rule == rule)
            BROKEN_RULES[i].break_file(elf);
}
