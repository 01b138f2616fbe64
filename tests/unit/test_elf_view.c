/* The reader of device ELFs: a valid file opens and reads back, and each rule of elf_rules.def is
 * broken once.
 *
 * That no rule fires on valid files was checked beyond this test with 2,136 outputs of ptxas,
 * nvlink (executables and -r, all targets, -G, -lineinfo, -g, -preserve-relocs, unified tables) and
 * device code inside libraries of the CUDA toolkit, and with links of 69,012 and 115,018 sections.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device_elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"

/* ---------------------------------------------------------------------------------------------- */
/* Opening */

struct outcome {
    bool opened;
    unsigned calls;
    unsigned seen[ELF_RULE_COUNT];
    struct elf_problem first;
    bool stop_at_once;
};

static bool note_problem(void *context, const struct elf_problem *problem)
{
    struct outcome *outcome = context;
    if (!outcome->calls++)
        outcome->first = *problem;
    outcome->seen[problem->rule]++;
    return !outcome->stop_at_once;
}

static void open_into(struct outcome *outcome, const struct device_elf *elf)
{
    struct arena arena;
    struct elf_view view;
    arena_init(&arena, fail_out_of_memory, NULL);
    outcome->opened =
        elf_view_open(&view, (struct bytes){elf->bytes, elf->size}, &arena, note_problem, outcome);
    arena_destroy(&arena);
}

/* ---------------------------------------------------------------------------------------------- */
/* Breaking one thing */

static void set_header_u16(struct device_elf *elf, size_t field, uint16_t value)
{
    store_u16(elf->bytes + field, value);
}

static void set_u32(struct device_elf *elf, const char *section, size_t field, uint32_t value)
{
    store_u32(device_elf_header(elf, section) + field, value);
}

static void set_u64(struct device_elf *elf, const char *section, size_t field, uint64_t value)
{
    store_u64(device_elf_header(elf, section) + field, value);
}

static void set_word(struct device_elf *elf, const char *section, size_t word, uint32_t value)
{
    store_u32(device_elf_contents(elf, section) + 4 * word, value);
}

static uint8_t *symbol_at(struct device_elf *elf, const char *table, unsigned index)
{
    return device_elf_contents(elf, table) + index * (size_t)ELF_SYMBOL_SIZE;
}

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
    set_header_u16(elf, HEADER_MACHINE, 62);
}

static void break_abi(struct device_elf *elf)
{
    elf->bytes[EI_OSABI] = ELFOSABI_CUDA_OLD;
}

static void break_header_size(struct device_elf *elf)
{
    set_header_u16(elf, HEADER_EHSIZE, 52);
}

static void break_section_header_size(struct device_elf *elf)
{
    set_header_u16(elf, HEADER_SHENTSIZE, 40);
}

static void break_no_sections(struct device_elf *elf)
{
    store_u64(elf->bytes + HEADER_SHOFF, 0);
}

/* The number stands in the null section, and is not bounded by 16 bits. */
static void break_section_table_outside(struct device_elf *elf)
{
    set_header_u16(elf, HEADER_SHNUM, 0);
    store_u64(elf->bytes + load_u64(elf->bytes + HEADER_SHOFF) + SECTION_SIZE, UINT32_MAX);
}

static void break_null_section(struct device_elf *elf)
{
    store_u32(elf->bytes + load_u64(elf->bytes + HEADER_SHOFF) + SECTION_TYPE, SHT_PROGBITS);
}

static void break_names_section(struct device_elf *elf)
{
    set_header_u16(elf, HEADER_SHSTRNDX, (uint16_t)device_elf_index(elf, ".text.k"));
}

static void break_program_header_size(struct device_elf *elf)
{
    set_header_u16(elf, HEADER_PHENTSIZE, 32);
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
    set_u32(elf, ".nv.global", SECTION_NAME, 0x10000);
}

static void break_section_outside(struct device_elf *elf)
{
    set_u64(elf, ".nv.constant0.k", SECTION_SIZE, UINT64_MAX - 8);
}

static void break_section_size(struct device_elf *elf)
{
    set_u64(elf, ".nv.global", SECTION_SIZE, UINT64_C(1) << 60);
}

static void break_section_overlap(struct device_elf *elf)
{
    uint64_t offset = load_u64(device_elf_header(elf, ".text.k") + SECTION_OFFSET);
    set_u64(elf, ".nv.constant0.k", SECTION_OFFSET, offset + 16);
}

static void break_alignment(struct device_elf *elf)
{
    set_u64(elf, ".nv.global", SECTION_ALIGNMENT, 12);
}

static void break_section_view(struct device_elf *elf)
{
    set_u64(elf, ".nv.info.k", SECTION_FLAGS, SHF_INFO_LINK | SHF_MERCURY);
}

static void break_strings_unterminated(struct device_elf *elf)
{
    uint8_t *header = device_elf_header(elf, ".strtab");
    device_elf_contents(elf, ".strtab")[load_u64(header + SECTION_SIZE) - 1] = 'x';
}

static void break_entry_size(struct device_elf *elf)
{
    set_u64(elf, ".rela.text.k", SECTION_ENTRY_SIZE, ELF_REL_SIZE);
}

static void break_table_size(struct device_elf *elf)
{
    set_u64(elf, ".rela.text.k", SECTION_SIZE, ELF_RELA_SIZE + 1);
}

static void break_link_range(struct device_elf *elf)
{
    set_u32(elf, ".nv.constant0.k", SECTION_LINK, 1000);
}

static void break_link_kind(struct device_elf *elf)
{
    set_u32(elf, ".rela.text.k", SECTION_LINK, device_elf_index(elf, ".nv.merc.symtab"));
}

static void break_info_range(struct device_elf *elf)
{
    set_u32(elf, ".rela.text.k", SECTION_INFO, 1000);
}

static void break_info_kind(struct device_elf *elf)
{
    set_u32(elf, ".nv.info.k", SECTION_INFO, device_elf_index(elf, ".nv.global"));
}

static void break_code_symbol(struct device_elf *elf)
{
    set_u32(elf, ".text.k", SECTION_INFO, SYMBOL_CALLEE | 10u << 24);
}

static void break_symtab_missing(struct device_elf *elf)
{
    set_u32(elf, ".symtab", SECTION_TYPE, SHT_PROGBITS);
}

static void break_symtab_duplicate(struct device_elf *elf)
{
    set_u32(elf, ".nv.merc.symtab", SECTION_TYPE, SHT_SYMTAB);
    set_u64(elf, ".nv.merc.symtab", SECTION_FLAGS, 0);
}

static void break_extended_duplicate(struct device_elf *elf)
{
    uint8_t *copy = device_elf_header(elf, ".nv.global");
    memcpy(copy, device_elf_header(elf, ".symtab_shndx"), ELF_SECTION_HEADER_SIZE);
    uint8_t words[4 * SYMBOL_COUNT_BOTH] = {0};
    device_elf_replace(elf, ".symtab_shndx", words, sizeof words);
}

static void break_extended_size(struct device_elf *elf)
{
    set_u64(elf, ".symtab_shndx", SECTION_SIZE, 4 * (SYMBOL_COUNT_BOTH - 1));
}

static void break_first_global(struct device_elf *elf)
{
    set_u32(elf, ".symtab", SECTION_INFO, SYMBOL_COUNT_BOTH + 1);
}

static void break_null_symbol(struct device_elf *elf)
{
    symbol_at(elf, ".symtab", SYMBOL_NULL)[SYMBOL_SIZE] = 1;
}

static void break_symbol_name(struct device_elf *elf)
{
    store_u32(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_NAME, 0x10000);
}

/* One name of 64 KiB, shared by 200 symbols more. */
static void break_names_total(struct device_elf *elf)
{
    enum { NAME_SIZE = 64 << 10, MORE = 200 };
    const uint64_t old_size = SYMBOL_COUNT_BOTH * (uint64_t)ELF_SYMBOL_SIZE;
    uint8_t *strings = calloc(1, NAME_SIZE), *symbols = calloc(MORE, ELF_SYMBOL_SIZE);
    assert_non_null(strings);
    assert_non_null(symbols);
    memset(strings, 'a', NAME_SIZE - 1);
    memcpy(symbols, device_elf_contents(elf, ".symtab"), old_size);
    for (size_t i = SYMBOL_COUNT_BOTH; i < MORE; i++)
        symbols[i * ELF_SYMBOL_SIZE + SYMBOL_INFO] = STB_GLOBAL << 4;
    device_elf_replace(elf, ".strtab", strings, NAME_SIZE);
    device_elf_replace(elf, ".symtab", symbols, MORE * (size_t)ELF_SYMBOL_SIZE);
    set_u32(elf, ".symtab_shndx", SECTION_TYPE, SHT_PROGBITS);
    free(strings);
    free(symbols);
}

static void break_symbol_binding(struct device_elf *elf)
{
    symbol_at(elf, ".symtab", SYMBOL_DATA)[SYMBOL_INFO] = 10 << 4 | STT_CUDA_OBJECT;
}

static void break_symbol_local(struct device_elf *elf)
{
    symbol_at(elf, ".nv.merc.symtab", SYMBOL_DATA)[SYMBOL_INFO] = STT_CUDA_OBJECT;
}

static void break_symbol_section(struct device_elf *elf)
{
    store_u16(symbol_at(elf, ".symtab", SYMBOL_ZERO) + SYMBOL_SECTION, 1000);
}

static void break_symbol_extended(struct device_elf *elf)
{
    store_u16(symbol_at(elf, ".nv.merc.symtab", SYMBOL_ZERO) + SYMBOL_SECTION, SHN_XINDEX);
}

static void break_symbol_view(struct device_elf *elf)
{
    store_u16(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".nv.merc.nv.global.init"));
}

static void break_symbol_function(struct device_elf *elf)
{
    store_u16(symbol_at(elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_SECTION,
              (uint16_t)device_elf_index(elf, ".nv.global.init"));
}

static void break_symbol_size(struct device_elf *elf)
{
    store_u64(symbol_at(elf, ".symtab", SYMBOL_COMMON) + SYMBOL_VALUE, UINT64_C(1) << 40);
}

static void break_symbol_outside(struct device_elf *elf)
{
    store_u64(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SIZE, 9);
}

static void break_relocation_target(struct device_elf *elf)
{
    set_u32(elf, ".rela.text.k", SECTION_INFO, device_elf_index(elf, ".nv.info"));
}

static void break_relocation_symbol(struct device_elf *elf)
{
    set_word(elf, ".rel.nv.global.init", 3, SYMBOL_COUNT_BOTH);
}

static void break_relocation_offset(struct device_elf *elf)
{
    set_word(elf, ".nv.merc.rela.text.k", 0, 0xa0);
}

static void break_attribute_cut(struct device_elf *elf)
{
    store_u16(device_elf_contents(elf, ".nv.info") + 2, 12);
}

static void break_attribute_format(struct device_elf *elf)
{
    device_elf_contents(elf, ".nv.compat")[0] = 5;
}

static void break_attribute_payload(struct device_elf *elf)
{
    set_word(elf, ".nv.info", 0, INFO_FORMAT_SIZED | EIATTR_REGCOUNT << 8 | 4u << 16);
    set_word(elf, ".nv.info", 2, INFO_FORMAT_NONE | EIATTR_PAD << 8);
}

static void break_attribute_symbol(struct device_elf *elf)
{
    set_word(elf, ".nv.merc.nv.info.k", 1, SYMBOL_COUNT_BOTH);
}

static void break_callgraph_group(struct device_elf *elf)
{
    set_word(elf, ".nv.callgraph", 0, SYMBOL_KERNEL);
    set_word(elf, ".nv.callgraph", 1, SYMBOL_CALLEE);
}

static void break_callgraph_heading(struct device_elf *elf)
{
    set_word(elf, ".nv.callgraph", 1, (uint32_t)-5);
}

static void break_callgraph_symbol(struct device_elf *elf)
{
    set_word(elf, ".nv.callgraph", 3, SYMBOL_DATA);
}

static void break_callgraph_string(struct device_elf *elf)
{
    set_word(elf, ".nv.callgraph", 7, 0x10000);
}

static void break_prototype_symbol(struct device_elf *elf)
{
    set_word(elf, ".nv.prototype", 0, SYMBOL_COUNT_BOTH);
}

static void break_prototype_string(struct device_elf *elf)
{
    set_word(elf, ".nv.prototype", 1, (uint32_t)-1);
}

static void break_note_cut(struct device_elf *elf)
{
    set_word(elf, ".note.nv.tkinfo", 1, 0x1000);
}

static void break_note_cuinfo(struct device_elf *elf)
{
    set_word(elf, ".note.nv.cuinfo", 1, 4);
    set_u64(elf, ".note.nv.cuinfo", SECTION_SIZE, 28);
}

static void break_note_tkinfo(struct device_elf *elf)
{
    set_word(elf, ".note.nv.tkinfo", 8, 0x1000);
}

static void break_unified_symbol(struct device_elf *elf)
{
    set_word(elf, ".nv.uft.entry", 0, SYMBOL_COUNT_BOTH);
}

struct rule_case {
    enum elf_rule rule;
    void (*break_file)(struct device_elf *elf);
};

static const struct rule_case CASES[] = {
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
    {ELF_RULE_STRINGS_UNTERMINATED, break_strings_unterminated},
    {ELF_RULE_ENTRY_SIZE, break_entry_size},
    {ELF_RULE_TABLE_SIZE, break_table_size},
    {ELF_RULE_LINK_RANGE, break_link_range},
    {ELF_RULE_LINK_KIND, break_link_kind},
    {ELF_RULE_INFO_RANGE, break_info_range},
    {ELF_RULE_INFO_KIND, break_info_kind},
    {ELF_RULE_CODE_SYMBOL, break_code_symbol},
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
    {ELF_RULE_SYMBOL_FUNCTION, break_symbol_function},
    {ELF_RULE_SYMBOL_SIZE, break_symbol_size},
    {ELF_RULE_SYMBOL_OUTSIDE, break_symbol_outside},
    {ELF_RULE_RELOCATION_TARGET, break_relocation_target},
    {ELF_RULE_RELOCATION_SYMBOL, break_relocation_symbol},
    {ELF_RULE_RELOCATION_OFFSET, break_relocation_offset},
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
    {ELF_RULE_NOTE_TKINFO, break_note_tkinfo},
    {ELF_RULE_UNIFIED_SYMBOL, break_unified_symbol},
};

enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void each_rule_has_a_case_and_a_text_of_its_own(void **state)
{
    (void)state;
    for (int rule = ELF_RULE_NONE + 1; rule < ELF_RULE_COUNT; rule++) {
        unsigned found = 0;
        for (int i = 0; i < CASE_COUNT; i++)
            found += CASES[i].rule == (enum elf_rule)rule;
        if (found != 1)
            fail_msg("rule %s has %u cases", elf_rule_slug(rule), found);
        assert_true(strlen(elf_rule_text(rule)) > 10);
        for (int other = ELF_RULE_NONE; other < rule; other++)
            assert_string_not_equal(elf_rule_slug(rule), elf_rule_slug(other));
    }
}

/* Each case breaks exactly its own rule: what else is reported would be noise for the user. */
static void breaking_a_rule_reports_it_alone(void **state)
{
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++) {
        struct device_elf elf;
        struct outcome outcome = {0};
        device_elf_build(&elf);
        CASES[i].break_file(&elf);
        open_into(&outcome, &elf);
        if (outcome.opened || outcome.first.rule != CASES[i].rule ||
            outcome.seen[CASES[i].rule] != outcome.calls)
            fail_msg("%s: opened %d, first %s of %u", elf_rule_slug(CASES[i].rule), outcome.opened,
                     elf_rule_slug(outcome.first.rule), outcome.calls);
        device_elf_free(&elf);
    }
}

static void a_problem_says_where_it_is(void **state)
{
    (void)state;
    struct device_elf elf;
    struct arena arena;
    struct elf_view view;
    struct outcome outcome = {0};
    device_elf_build(&elf);
    break_relocation_symbol(&elf);
    arena_init(&arena, fail_out_of_memory, NULL);
    assert_false(
        elf_view_open(&view, (struct bytes){elf.bytes, elf.size}, &arena, note_problem, &outcome));
    assert_string_equal(outcome.first.section_name, ".rel.nv.global.init");
    assert_int_equal(outcome.first.section, device_elf_index(&elf, ".rel.nv.global.init"));
    assert_int_equal(outcome.first.index, 0);
    assert_int_equal(outcome.first.value, SYMBOL_COUNT_BOTH);
    arena_destroy(&arena);
    device_elf_free(&elf);
}

static void several_problems_are_all_reported_unless_the_handler_stops(void **state)
{
    (void)state;
    struct device_elf elf;
    struct outcome all = {0}, one = {.stop_at_once = true};
    device_elf_build(&elf);
    break_symbol_name(&elf);
    break_relocation_symbol(&elf);
    break_attribute_symbol(&elf);
    break_callgraph_string(&elf);
    break_note_tkinfo(&elf);
    open_into(&all, &elf);
    open_into(&one, &elf);
    assert_int_equal(all.calls, 5);
    assert_int_equal(one.calls, 1);
    assert_false(one.opened);
    device_elf_free(&elf);
}

/* ---------------------------------------------------------------------------------------------- */
/* Reading a valid file */

struct opened {
    struct device_elf elf;
    struct arena arena;
    struct elf_view view;
};

static int open_valid(void **state)
{
    struct opened *opened = calloc(1, sizeof *opened);
    struct outcome outcome = {0};
    if (!opened)
        return -1;
    device_elf_build(&opened->elf);
    arena_init(&opened->arena, fail_out_of_memory, NULL);
    if (!elf_view_open(&opened->view, (struct bytes){opened->elf.bytes, opened->elf.size},
                       &opened->arena, note_problem, &outcome))
        fail_msg("valid file: %s in %s", elf_rule_text(outcome.first.rule),
                 outcome.first.section_name ? outcome.first.section_name : "the header");
    *state = opened;
    return 0;
}

static int close_valid(void **state)
{
    struct opened *opened = *state;
    arena_destroy(&opened->arena);
    device_elf_free(&opened->elf);
    free(opened);
    return 0;
}

static const struct elf_section *section_named(const struct elf_view *view, const char *name)
{
    for (uint32_t i = 1; i < view->section_count; i++)
        if (!strcmp(view->sections[i].name, name))
            return &view->sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

static void the_header_reads_back(void **state)
{
    const struct opened *opened = *state;
    const struct elf_view *view = &opened->view;
    assert_int_equal(view->type, ET_REL);
    assert_int_equal(elf_view_sm(view), 100);
    assert_int_equal(view->program_header_count, 1);
    assert_string_equal(view->sections[view->names_section].name, ".shstrtab");
    assert_int_equal(elf_identify(view->file), ELF_KIND_DEVICE);
}

static void sections_read_back(void **state)
{
    const struct opened *opened = *state;
    const struct elf_section *text = section_named(&opened->view, ".text.k");
    assert_int_equal(text->type, SHT_PROGBITS);
    assert_int_equal(text->size, 128);
    assert_int_equal(text->alignment, 128);
    assert_int_equal(text->view, VIEW_NATIVE);
    assert_ptr_equal(text->data, opened->elf.bytes + text->offset);
    const struct elf_section *zero = section_named(&opened->view, ".nv.global");
    assert_null(zero->data);
    const struct elf_section *copy = section_named(&opened->view, ".nv.merc.nv.global.init");
    assert_int_equal(copy->view, VIEW_MERCURY);
    assert_ptr_equal(copy->data, section_named(&opened->view, ".nv.global.init")->data);
}

static void symbols_of_both_views_read_back(void **state)
{
    const struct opened *opened = *state;
    const struct elf_view *view = &opened->view;
    for (int which = 0; which < VIEW_COUNT; which++) {
        assert_int_equal(view->symbols[which].count, SYMBOL_COUNT_BOTH);
        struct elf_symbol kernel = elf_view_symbol(view, which, SYMBOL_KERNEL);
        assert_string_equal(kernel.name, "k");
        assert_int_equal(kernel.type, STT_FUNC);
        assert_int_equal(kernel.binding, STB_GLOBAL);
        assert_int_equal(kernel.size, which == VIEW_NATIVE ? 128 : 0xa0);
        assert_string_equal(view->sections[kernel.section].name,
                            which == VIEW_NATIVE ? ".text.k" : ".nv.capmerc.text.k");
        assert_int_equal(elf_view_symbol(view, which, SYMBOL_CALLEE).section, 0);
        struct elf_symbol common = elf_view_symbol(view, which, SYMBOL_COMMON);
        assert_int_equal(common.section, ELF_SECTION_COMMON);
        assert_int_equal(common.value, 4);
    }
}

static void relocations_read_back(void **state)
{
    const struct opened *opened = *state;
    const struct elf_section *code = section_named(&opened->view, ".rela.text.k");
    assert_true(elf_section_is_relocation(code) && elf_section_has_addends(code));
    assert_int_equal(code->entry_count, 2);
    struct elf_relocation relocation = elf_section_relocation(code, 1);
    assert_int_equal(relocation.offset, 0x10);
    assert_int_equal(relocation.type, 57);
    assert_int_equal(relocation.symbol, SYMBOL_DATA);
    const struct elf_section *data = section_named(&opened->view, ".rel.nv.global.init");
    assert_true(elf_section_is_relocation(data) && !elf_section_has_addends(data));
    assert_int_equal(elf_section_relocation(data, 0).symbol, SYMBOL_KERNEL);
    assert_int_equal(elf_section_relocation(data, 0).addend, 0);
    assert_false(elf_section_is_relocation(section_named(&opened->view, ".text.k")));
}

static void pairs_and_strings_read_back(void **state)
{
    const struct opened *opened = *state;
    const struct elf_section *calls = section_named(&opened->view, ".nv.callgraph");
    assert_int_equal(calls->entry_count, 8);
    assert_int_equal(elf_section_pair(calls, 2).second, CALLGRAPH_ADDRESS_TAKEN);
    struct elf_pair taken = elf_section_pair(calls, 3);
    assert_int_equal(taken.first, SYMBOL_CALLEE);
    assert_string_equal(elf_view_string(&opened->view, VIEW_NATIVE, (uint32_t)taken.second), "#ii");
    assert_null(elf_view_string(&opened->view, VIEW_NATIVE, 0x10000));
}

/* ---------------------------------------------------------------------------------------------- */
/* What only some files have */

static void check_opens(struct device_elf *elf, bool expected)
{
    struct outcome outcome = {0};
    open_into(&outcome, elf);
    if (outcome.opened != expected)
        fail_msg("%s in %s", elf_rule_text(outcome.first.rule),
                 outcome.first.section_name ? outcome.first.section_name : "the header");
}

static void harmless_differences_are_accepted(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    set_header_u16(&elf, HEADER_TYPE, ET_MERCURY_REL);
    elf.bytes[HEADER_FLAGS + 3] = 0; /* toolkits before 12.0 */
    set_u32(&elf, ".nv.info.k", SECTION_LINK, 0);
    store_u64(symbol_at(&elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_VALUE, UINT64_MAX);
    set_word(&elf, ".note.nv.tkinfo", 6, 1); /* a tool note of an older version */
    check_opens(&elf, true);
    set_header_u16(&elf, HEADER_PHNUM, 0);
    set_header_u16(&elf, HEADER_PHENTSIZE, 0);
    check_opens(&elf, true);
    break_symbol_outside(&elf);
    check_opens(&elf, false);
    set_header_u16(&elf, HEADER_TYPE, ET_EXEC);
    check_opens(&elf, true);
    device_elf_free(&elf);
}

static void a_flags_byte_of_255_means_any_later_section(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    elf.bytes[HEADER_FLAGS + 3] = 0xff;
    check_opens(&elf, false);
    device_elf_free(&elf);
}

static void the_order_of_contents_does_not_matter(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    uint8_t names[512];
    uint64_t size = load_u64(device_elf_header(&elf, ".shstrtab") + SECTION_SIZE);
    assert_true(size <= sizeof names);
    memcpy(names, device_elf_contents(&elf, ".shstrtab"), size);
    device_elf_replace(&elf, ".shstrtab", names, size);
    check_opens(&elf, true);
    device_elf_free(&elf);
}

/* A file with more sections than 16 bits can number, as nvlink writes it. */
static void build_many_sections(struct device_elf *elf, uint32_t count)
{
    device_elf_build(elf);
    uint32_t old_count = load_u16(elf->bytes + HEADER_SHNUM);
    uint8_t *table = calloc(count, ELF_SECTION_HEADER_SIZE);
    assert_non_null(table);
    memcpy(table, elf->bytes + load_u64(elf->bytes + HEADER_SHOFF),
           old_count * (size_t)ELF_SECTION_HEADER_SIZE);
    for (uint32_t i = old_count; i < count; i++)
        store_u32(table + i * (size_t)ELF_SECTION_HEADER_SIZE + SECTION_TYPE, SHT_PROGBITS);
    store_u64(table + SECTION_SIZE, count);
    store_u32(table + SECTION_LINK, load_u16(elf->bytes + HEADER_SHSTRNDX));
    uint64_t offset = device_elf_append(elf, table, count * (size_t)ELF_SECTION_HEADER_SIZE);
    store_u64(elf->bytes + HEADER_SHOFF, offset);
    free(table);
}

static void use_extended_numbers(struct device_elf *elf)
{
    uint8_t *words = device_elf_contents(elf, ".symtab_shndx");
    for (int i = 0; i < SYMBOL_COUNT_BOTH; i++)
        store_u32(words + 4 * i, 0x12345); /* left-overs */
    store_u16(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SECTION, SHN_XINDEX);
    store_u64(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_VALUE, 0);
    store_u64(symbol_at(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SIZE, 0);
    store_u32(words + 4 * SYMBOL_DATA, 0xfff3);
    store_u16(symbol_at(elf, ".symtab", SYMBOL_TEXT_SECTION) + SYMBOL_SECTION, SHN_COMMON);
    set_header_u16(elf, HEADER_SHNUM, 0);
    set_header_u16(elf, HEADER_SHSTRNDX, SHN_XINDEX);
}

static void more_sections_than_16_bits_can_number(void **state)
{
    (void)state;
    struct device_elf elf;
    struct arena arena;
    struct elf_view view;
    build_many_sections(&elf, 0x10100);
    use_extended_numbers(&elf);
    check_opens(&elf, true);
    arena_init(&arena, fail_out_of_memory, NULL);
    assert_true(elf_view_open(&view, (struct bytes){elf.bytes, elf.size}, &arena, NULL, NULL));
    assert_int_equal(view.section_count, 0x10100);
    assert_int_equal(elf_view_symbol(&view, VIEW_NATIVE, SYMBOL_DATA).section, 0xfff3);
    assert_int_equal(elf_view_symbol(&view, VIEW_NATIVE, SYMBOL_TEXT_SECTION).section, SHN_COMMON);
    assert_int_equal(elf_view_symbol(&view, VIEW_NATIVE, SYMBOL_COMMON).section,
                     ELF_SECTION_COMMON);
    arena_destroy(&arena);
    device_elf_free(&elf);
}

/* An extended index must not pass for one of the special values of an opened view. */
static void extended_numbers_outside_the_file_are_refused(void **state)
{
    (void)state;
    static const uint32_t NUMBERS[] = {0x10100, ELF_SECTION_COMMON, ELF_SECTION_ABSOLUTE,
                                       UINT32_MAX};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        struct device_elf elf;
        device_elf_build(&elf);
        store_u16(symbol_at(&elf, ".symtab", SYMBOL_DATA) + SYMBOL_SECTION, SHN_XINDEX);
        set_word(&elf, ".symtab_shndx", SYMBOL_DATA, NUMBERS[i]);
        check_opens(&elf, false);
        device_elf_free(&elf);
    }
}

static void kinds_are_told_apart(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    struct bytes file = {elf.bytes, elf.size};
    assert_int_equal(elf_identify((struct bytes){elf.bytes, 3}), ELF_KIND_NOT_ELF);
    assert_int_equal(elf_identify((struct bytes){NULL, 0}), ELF_KIND_NOT_ELF);
    break_abi(&elf);
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE_OLD);
    break_class(&elf);
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE_32);
    break_machine(&elf);
    assert_int_equal(elf_identify(file), ELF_KIND_FOREIGN);
    break_not_elf(&elf);
    assert_int_equal(elf_identify(file), ELF_KIND_NOT_ELF);
    device_elf_free(&elf);
}

/* Truncated at any length and with any one byte changed, opening ends without reading outside
 * (AddressSanitizer watches), and a truncated file never opens. */
static void damage_anywhere_is_survived(void **state)
{
    (void)state;
    static const uint8_t CHANGES[] = {0x01, 0x80, 0xff};
    struct device_elf elf;
    device_elf_build(&elf);
    for (size_t size = 0; size < elf.size; size += 7) {
        struct device_elf cut = {malloc(size ? size : 1), size};
        assert_non_null(cut.bytes);
        memcpy(cut.bytes, elf.bytes, size);
        check_opens(&cut, false);
        free(cut.bytes);
    }
    for (size_t at = 0; at < elf.size; at++)
        for (size_t i = 0; i < sizeof CHANGES; i++) {
            struct outcome outcome = {0};
            elf.bytes[at] ^= CHANGES[i];
            open_into(&outcome, &elf);
            assert_true(outcome.opened == !outcome.calls);
            elf.bytes[at] ^= CHANGES[i];
        }
    device_elf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_header_reads_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(sections_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(symbols_of_both_views_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(relocations_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(pairs_and_strings_read_back, open_valid, close_valid),
        cmocka_unit_test(each_rule_has_a_case_and_a_text_of_its_own),
        cmocka_unit_test(breaking_a_rule_reports_it_alone),
        cmocka_unit_test(a_problem_says_where_it_is),
        cmocka_unit_test(several_problems_are_all_reported_unless_the_handler_stops),
        cmocka_unit_test(harmless_differences_are_accepted),
        cmocka_unit_test(a_flags_byte_of_255_means_any_later_section),
        cmocka_unit_test(the_order_of_contents_does_not_matter),
        cmocka_unit_test(more_sections_than_16_bits_can_number),
        cmocka_unit_test(extended_numbers_outside_the_file_are_refused),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(damage_anywhere_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
