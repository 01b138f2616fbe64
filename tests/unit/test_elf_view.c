/* The reader of device ELFs reads a valid file, optional parts, and files with damage at any
 * byte. */
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
                       &opened->arena, outcome_note_problem, &outcome))
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
    assert_int_equal(elf_section_alignment(text), 128);
    assert_int_equal(text->view, VIEW_NATIVE);
    assert_ptr_equal(text->data, opened->elf.bytes +
                                     elf_view_section_header(&opened->view, text->index).offset);
    const struct elf_section *zero = section_named(&opened->view, ".nv.global");
    assert_null(zero->data);
    const struct elf_section *copy = section_named(&opened->view, ".nv.merc.nv.global.init");
    assert_int_equal(copy->view, VIEW_MERCURY);
    assert_ptr_equal(copy->data, section_named(&opened->view, ".nv.global.init")->data);
}

static void sections_agree_with_their_headers(void **state)
{
    const struct opened *opened = *state;
    const struct elf_view *view = &opened->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        struct elf_section_header header = elf_view_section_header(view, i);
        const struct elf_section *section = &view->sections[i];
        assert_int_equal(section->index, i);
        assert_int_equal(section->flags, header.flags);
        assert_int_equal(section->size, header.size);
        assert_int_equal(section->info, header.info);
        assert_int_equal(header.address, 0);
        if (section->data)
            assert_ptr_equal(section->data, view->file.data + header.offset);
    }
}

static void alignments_read_back(void **state)
{
    static const uint64_t ALIGNMENTS[] = {0, 1, 2, 16, 128, 1024};
    (void)state;
    for (size_t i = 0; i < sizeof ALIGNMENTS / sizeof *ALIGNMENTS; i++) {
        struct opened opened = {0};
        device_elf_build(&opened.elf);
        device_elf_set_u64(&opened.elf, ".nv.global", SECTION_ALIGNMENT, ALIGNMENTS[i]);
        device_elf_set_u64(&opened.elf, ".nv.global", SECTION_OFFSET, 2048);
        arena_init(&opened.arena, fail_out_of_memory, NULL);
        struct bytes file = {opened.elf.bytes, opened.elf.size};
        assert_true(elf_view_open(&opened.view, file, &opened.arena, NULL, NULL));
        const struct elf_section *section = section_named(&opened.view, ".nv.global");
        assert_int_equal(elf_section_alignment(section), ALIGNMENTS[i]);
        arena_destroy(&opened.arena);
        device_elf_free(&opened.elf);
    }
}

/* Flags without a known meaning are kept, as nvlink's outputs in tests/golden show. */
static void unknown_flags_read_back(void **state)
{
    struct opened *opened = *state;
    const struct elf_section *section = section_named(&opened->view, ".nv.global");
    uint64_t flags = SHF_ALLOC | SHF_WRITE | UINT64_C(1) << 63;
    device_elf_set_u64(&opened->elf, ".nv.global", SECTION_FLAGS, flags);
    assert_int_equal(elf_view_section_flags(&opened->view, section), flags);
}

static void assert_same_section(const struct elf_view *settled_view, const struct elf_view *view,
                                uint32_t index)
{
    const struct elf_section *settled = &settled_view->sections[index];
    const struct elf_section *other = &view->sections[index];
    assert_string_equal(settled->name, other->name);
    assert_int_equal(settled->type, other->type);
    assert_int_equal(settled->size, other->size);
    assert_int_equal(!settled->data, !other->data);
    if (settled->data)
        assert_memory_equal(settled->data, other->data, settled->size);
    assert_int_equal(elf_view_section_flags(settled_view, settled),
                     elf_view_section_flags(view, other));
}

static void assert_same_symbols(const struct elf_view *settled, const struct elf_view *other,
                                enum code_view which)
{
    assert_int_equal(settled->symbols[which].count, other->symbols[which].count);
    for (uint32_t i = 0; i < settled->symbols[which].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(settled, which, i);
        struct elf_symbol same = elf_view_symbol(other, which, i);
        assert_string_equal(symbol.name, same.name);
        assert_int_equal(symbol.section, same.section);
        assert_int_equal(symbol.value, same.value);
    }
}

static void open_changed(struct opened *opened, const char *section, unsigned field, uint64_t value)
{
    device_elf_build(&opened->elf);
    device_elf_set_u64(&opened->elf, section, field, value);
    arena_init(&opened->arena, fail_out_of_memory, NULL);
    struct bytes file = {opened->elf.bytes, opened->elf.size};
    assert_true(elf_view_open(&opened->view, file, &opened->arena, NULL, NULL));
}

/* Asserts that a settled view, whose file is freed, equals an unsettled view of an equal file. */
static void assert_settles(const char *section, unsigned field, uint64_t value)
{
    struct opened settled = {0}, whole = {0};
    open_changed(&settled, section, field, value);
    open_changed(&whole, section, field, value);
    elf_view_settle(&settled.view, &settled.arena);
    device_elf_free(&settled.elf);
    assert_null(settled.view.file.data);
    assert_int_equal(elf_view_sm(&settled.view), 100);
    assert_int_equal(settled.view.section_count, whole.view.section_count);
    for (uint32_t i = 1; i < whole.view.section_count; i++)
        assert_same_section(&settled.view, &whole.view, i);
    for (int which = 0; which < VIEW_COUNT; which++)
        assert_same_symbols(&settled.view, &whole.view, (enum code_view)which);
    arena_destroy(&settled.arena);
    arena_destroy(&whole.arena);
    device_elf_free(&whole.elf);
}

static void a_settled_view_needs_no_file(void **state)
{
    const struct opened *opened = *state;
    uint64_t flags = SHF_ALLOC | SHF_WRITE | UINT64_C(1) << 63;
    assert_settles(".nv.global", SECTION_FLAGS, flags);
    /* A section of the Mercury view may begin at the offset of a table, such as .symtab. */
    uint32_t tables[] = {opened->view.symbols[VIEW_NATIVE].section,
                         opened->view.extended_sections[VIEW_NATIVE], opened->view.names_section};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        assert_settles(".nv.merc.nv.global.init", SECTION_OFFSET,
                       elf_view_section_header(&opened->view, tables[i]).offset);
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
    device_elf_open(elf, &outcome);
    if (outcome.opened != expected)
        fail_msg("%s in %s", elf_rule_text(outcome.first.rule),
                 outcome.first.section_name ? outcome.first.section_name : "the header");
}

static void harmless_differences_are_accepted(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    device_elf_set_header(&elf, HEADER_TYPE, ET_WHOLE_PROGRAM);
    elf.bytes[EI_VERSION] = 0;
    elf.bytes[HEADER_FLAGS + 3] = 0; /* the byte of toolkits before 12.0 */
    device_elf_set_u32(&elf, ".nv.info.k", SECTION_LINK, 0);
    store_u64(device_elf_symbol(&elf, ".symtab", SYMBOL_CALLEE) + SYMBOL_VALUE, UINT64_MAX);
    device_elf_set_word(&elf, ".note.nv.tkinfo", 6, 1); /* a tool note of an older version */
    check_opens(&elf, true);
    device_elf_set_header(&elf, HEADER_PHNUM, 0);
    device_elf_set_header(&elf, HEADER_PHENTSIZE, 0);
    check_opens(&elf, true);
    store_u64(device_elf_symbol(&elf, ".symtab", SYMBOL_DATA) + SYMBOL_SIZE, 9);
    check_opens(&elf, false);
    device_elf_set_header(&elf, HEADER_TYPE, ET_EXEC);
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

/* Builds a file with more sections than a 16-bit index can number, in the form that nvlink
 * writes. */
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
    for (size_t i = 0; i < SYMBOL_COUNT_BOTH; i++)
        store_u32(words + 4 * i, 0x12345); /* to be ignored without SHN_XINDEX */
    uint8_t *data = device_elf_symbol(elf, ".symtab", SYMBOL_DATA);
    data[SYMBOL_INFO] = STB_GLOBAL << 4 | STT_NOTYPE; /* the new sections are not in a memory
                                                       * space */
    store_u16(data + SYMBOL_SECTION, SHN_XINDEX);
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_DATA) + SYMBOL_VALUE, 0);
    store_u64(device_elf_symbol(elf, ".symtab", SYMBOL_DATA) + SYMBOL_SIZE, 0);
    device_elf_set_word(elf, ".symtab_shndx", SYMBOL_DATA, 0xfff3);
    store_u16(device_elf_symbol(elf, ".symtab", SYMBOL_TEXT_SECTION) + SYMBOL_SECTION, SHN_COMMON);
    device_elf_set_header(elf, HEADER_SHNUM, 0);
    device_elf_set_header(elf, HEADER_SHSTRNDX, SHN_XINDEX);
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

/* An opened view has special section indices for common and absolute symbols. An extended index of
 * a file must not be taken for one of them. */
static void extended_numbers_outside_the_file_are_refused(void **state)
{
    (void)state;
    static const uint32_t NUMBERS[] = {0x10100, ELF_SECTION_COMMON, ELF_SECTION_ABSOLUTE,
                                       UINT32_MAX};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        struct device_elf elf;
        device_elf_build(&elf);
        store_u16(device_elf_symbol(&elf, ".symtab", SYMBOL_DATA) + SYMBOL_SECTION, SHN_XINDEX);
        device_elf_set_word(&elf, ".symtab_shndx", SYMBOL_DATA, NUMBERS[i]);
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
    elf.bytes[EI_ABIVERSION] = 7;
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE_ABI);
    elf.bytes[EI_OSABI] = ELFOSABI_CUDA_12;
    device_elf_set_header(&elf, HEADER_FLAGS, 80);
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE);
    assert_false(elf_is_marked_64bit(file));
    device_elf_set_header(&elf, HEADER_FLAGS, EF_12_64BIT_ADDRESS);
    assert_true(elf_is_marked_64bit(file));
    elf.bytes[HEADER_FLAGS + 3] = 0x80; /* the highest, EF_12_UNKNOWN */
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE_ABI);
    elf.bytes[EI_CLASS] = ELFCLASS32;
    assert_int_equal(elf_identify(file), ELF_KIND_DEVICE_32);
    device_elf_set_header(&elf, HEADER_MACHINE, 62);
    assert_int_equal(elf_identify(file), ELF_KIND_FOREIGN);
    elf.bytes[0] = 0;
    assert_int_equal(elf_identify(file), ELF_KIND_NOT_ELF);
    device_elf_free(&elf);
}

/* A file is never read past its end, whether it is cut off at any length or one of its bytes is
 * changed. AddressSanitizer checks this. A file that is cut off is always refused. */
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
            device_elf_open(&elf, &outcome);
            assert_true(outcome.opened == !outcome.damages);
            elf.bytes[at] ^= CHANGES[i];
        }
    device_elf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_header_reads_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(sections_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(sections_agree_with_their_headers, open_valid, close_valid),
        cmocka_unit_test(alignments_read_back),
        cmocka_unit_test_setup_teardown(unknown_flags_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(symbols_of_both_views_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(relocations_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(pairs_and_strings_read_back, open_valid, close_valid),
        cmocka_unit_test_setup_teardown(a_settled_view_needs_no_file, open_valid, close_valid),
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
