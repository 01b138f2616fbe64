/* Breaks each rule of elf_rules.def, and checks that the reader reports this rule and no other.
 *
 * That valid files break no rule was checked separately: with 40,000 objects of ptxas and outputs
 * of nvlink (executables and -r, all targets, -G, -lineinfo, -g, -preserve-relocs, unified tables),
 * with device code in libraries of the CUDA toolkit, and with outputs of 69,012 and 115,018
 * sections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broken_elf.h"
#include "broken_functions.h"
#include "device_elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"

static void each_rule_has_a_case_and_a_text_of_its_own(void **state)
{
    (void)state;
    for (int rule = ELF_RULE_NONE + 1; rule < ELF_RULE_COUNT; rule++) {
        unsigned found = 0;
        for (size_t i = 0; i < BROKEN_RULES_COUNT; i++)
            found += BROKEN_RULES[i].rule == (enum elf_rule)rule;
        if (found != 1)
            fail_msg("rule %s has %u cases", elf_rule_slug(rule), found);
        assert_true(strlen(elf_rule_text(rule)) > 10);
        for (int other = ELF_RULE_NONE; other < rule; other++)
            assert_string_not_equal(elf_rule_slug(rule), elf_rule_slug(other));
    }
}

/* Whether the reader opens a file that breaks this rule. */
static bool can_be_opened(enum elf_rule rule)
{
    return elf_rule_is_exception(rule) ||
           rule == ELF_RULE_NO_STACK_SIZE; /* a rule that only verify applies */
}

static void breaking_a_rule_reports_it_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < BROKEN_RULES_COUNT; i++) {
        struct device_elf elf;
        struct outcome outcome = {0};
        device_elf_build(&elf);
        BROKEN_RULES[i].break_file(&elf);
        device_elf_open(&elf, &outcome);
        if (outcome.opened != can_be_opened(BROKEN_RULES[i].rule) ||
            outcome.first.rule != BROKEN_RULES[i].rule ||
            outcome.seen[BROKEN_RULES[i].rule] != outcome.calls)
            fail_msg("%s: opened %d, first %s of %u", elf_rule_slug(BROKEN_RULES[i].rule),
                     outcome.opened, elf_rule_slug(outcome.first.rule), outcome.calls);
        device_elf_free(&elf);
    }
}

/* Records of function data are native, so the reader looks up their symbol indices in .symtab. If a
 * record of the Mercury view were accepted, its index could be past the end of .symtab. */
static void function_data_is_of_the_native_view(void **state)
{
    (void)state;
    uint8_t record[8] = {SYMBOL_KERNEL};
    struct device_elf elf;
    struct outcome outcome = {0};
    device_elf_build(&elf);
    device_elf_replace(&elf, ".nv.uft.entry", record, sizeof record);
    device_elf_set_u32(&elf, ".nv.uft.entry", SECTION_TYPE, SHT_CUDA_FUNCTION_DATA);
    device_elf_set_u64(&elf, ".nv.uft.entry", SECTION_FLAGS, SHF_MERCURY);
    device_elf_open(&elf, &outcome);
    assert_false(outcome.opened);
    assert_int_equal(outcome.first.rule, ELF_RULE_SECTION_VIEW);
    device_elf_free(&elf);
}

static void a_problem_says_where_it_is(void **state)
{
    (void)state;
    struct device_elf elf;
    struct arena arena;
    struct elf_view view;
    struct outcome outcome = {0};
    device_elf_build(&elf);
    break_rule(&elf, ELF_RULE_RELOCATION_SYMBOL);
    arena_init(&arena, fail_out_of_memory, NULL);
    assert_false(elf_view_open(&view, (struct bytes){elf.bytes, elf.size}, &arena,
                               outcome_note_problem, &outcome));
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
    break_rule(&elf, ELF_RULE_SYMBOL_NAME);
    break_rule(&elf, ELF_RULE_RELOCATION_SYMBOL);
    break_rule(&elf, ELF_RULE_ATTRIBUTE_SYMBOL);
    break_rule(&elf, ELF_RULE_CALLGRAPH_STRING);
    break_rule(&elf, ELF_RULE_NOTE_TKINFO);
    device_elf_open(&elf, &all);
    device_elf_open(&elf, &one);
    assert_int_equal(all.calls, 5);
    assert_int_equal(one.calls, 1);
    assert_false(one.opened);
    device_elf_free(&elf);
}

/* Parameters belong to kernels. */
static void what_kernels_have_belongs_to_kernels(void **state)
{
    (void)state;
    struct device_elf elf;
    struct outcome outcome = {0};
    device_elf_build(&elf);
    device_elf_symbol(&elf, ".symtab", SYMBOL_KERNEL)[SYMBOL_OTHER] = 0;
    device_elf_open(&elf, &outcome);
    assert_int_equal(outcome.calls, 1);
    assert_int_equal(outcome.first.rule, ELF_RULE_INFO_KIND);
    assert_string_equal(outcome.first.section_name, ".nv.constant0.k");
    device_elf_free(&elf);
}

static void rename_section(struct device_elf *elf, const char *name, const char *other)
{
    uint8_t *names = device_elf_contents(elf, ".shstrtab");
    memcpy(names + load_u32(device_elf_header(elf, name) + SECTION_NAME), other, strlen(other) + 1);
}

/* Turns the kernel into a device function. Its bank of parameters becomes bank 2, because only a
 * kernel has parameters in a bank. */
static void make_function_of_kernel(struct device_elf *elf)
{
    rename_section(elf, ".nv.constant0.k", ".nv.constant2.k");
    device_elf_set_u32(elf, ".nv.constant2.k", SECTION_TYPE, SHT_CUDA_CONSTANT0 + 2);
    device_elf_symbol(elf, ".symtab", SYMBOL_KERNEL)[SYMBOL_OTHER] = 0;
}

/* Variables in shared memory belong to kernels. A shared section without variables may belong to a
 * device function, because nvlink -r writes such sections. */
static void variables_of_shared_memory_belong_to_kernels(void **state)
{
    (void)state;
    for (int has_variable = 0; has_variable < 2; has_variable++) {
        struct device_elf elf;
        struct outcome outcome = {0};
        device_elf_build(&elf);
        rename_section(&elf, ".nv_debug.shared", ".nv.shared.k");
        device_elf_set_u64(&elf, ".nv.shared.k", SECTION_FLAGS,
                           SHF_ALLOC | SHF_WRITE | SHF_INFO_LINK);
        device_elf_set_u32(&elf, ".nv.shared.k", SECTION_INFO, device_elf_index(&elf, ".text.k"));
        make_function_of_kernel(&elf);
        store_u16(device_elf_symbol(&elf, ".nv.merc.symtab", SYMBOL_SHARED) + SYMBOL_SECTION, 0);
        if (!has_variable)
            store_u16(device_elf_symbol(&elf, ".symtab", SYMBOL_SHARED) + SYMBOL_SECTION, 0);
        device_elf_open(&elf, &outcome);
        assert_int_equal(outcome.opened, !has_variable);
        assert_int_equal(outcome.seen[ELF_RULE_INFO_KIND], has_variable);
        device_elf_free(&elf);
    }
}

/* The value of a common symbol, and of a symbol in shared memory, is its alignment. */
static void alignments_of_symbols_are_bounded(void **state)
{
    (void)state;
    static const unsigned SYMBOLS[] = {SYMBOL_COMMON, SYMBOL_SHARED};
    for (int i = 0; i < 2; i++)
        for (uint64_t excess = 0; excess < 2; excess++) {
            struct device_elf elf;
            struct outcome outcome = {0};
            device_elf_build(&elf);
            store_u64(device_elf_symbol(&elf, ".symtab", SYMBOLS[i]) + SYMBOL_VALUE,
                      (UINT64_C(1) << 31) + excess);
            device_elf_open(&elf, &outcome);
            assert_int_equal(outcome.opened, !excess);
            assert_int_equal(outcome.seen[ELF_RULE_SYMBOL_ALIGNMENT], excess);
            device_elf_free(&elf);
        }
}

static enum elf_rule only_rule_of(const struct device_elf *elf)
{
    struct outcome outcome = {0};
    device_elf_open(elf, &outcome);
    return outcome.calls == 1 ? outcome.first.rule : ELF_RULE_NONE;
}

/* Only the object that defines a function has records about the function. */
static void records_of_undefined_functions_are_reported(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    add_function_record(&elf, EIATTR_FRAME_SIZE, SYMBOL_CALLEE);
    assert_int_equal(only_rule_of(&elf), ELF_RULE_ATTRIBUTE_NOT_FUNCTION);
    device_elf_free(&elf);
}

/* Linkers write the attribute of the minimum stack size. A compiler of whole programs also writes
 * the attribute, but with the value that means an unknown size. */
static void unknown_stack_is_no_attribute_of_linkers(void **state)
{
    (void)state;
    enum { STACK = 8 };
    struct device_elf elf;
    struct outcome outcome = {0};
    device_elf_build(&elf);
    add_function_record(&elf, EIATTR_MIN_STACK_SIZE, SYMBOL_KERNEL);
    device_elf_set_word(&elf, ".nv.info", STACK, UINT32_MAX);
    device_elf_open(&elf, &outcome);
    assert_true(outcome.opened);
    assert_int_equal(outcome.calls, 0);
    device_elf_free(&elf);
}

/* The end of the section lies within an instruction. */
static void code_consists_of_whole_instructions(void **state)
{
    (void)state;
    static const uint64_t SIZES[] = {0x41, 0x48, 0x7c};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        struct device_elf elf;
        struct outcome outcome = {0};
        device_elf_build(&elf);
        device_elf_set_u64(&elf, ".text.k", SECTION_SIZE, SIZES[i]);
        store_u64(device_elf_symbol(&elf, ".symtab", SYMBOL_KERNEL) + SYMBOL_SIZE, SIZES[i]);
        device_elf_open(&elf, &outcome);
        assert_false(outcome.opened);
        assert_int_equal(outcome.seen[ELF_RULE_CODE_SIZE], 1);
        device_elf_free(&elf);
    }
}

/* A string table with the name of a parameter bank is not a parameter bank. */
static void the_bank_of_parameters_has_the_type_of_banks(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    device_elf_set_u32(&elf, ".nv.constant0.k", SECTION_TYPE, SHT_STRTAB);
    assert_int_equal(only_rule_of(&elf), ELF_RULE_NO_PARAMETER_BANK);
    device_elf_free(&elf);
}

/* An undefined LOCAL object is valid only if its name is .nv.ptx.const0.size; its value is a
 * size. */
static void only_a_size_is_an_undefined_local_object(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    device_elf_symbol(&elf, ".symtab", SYMBOL_WEAK)[SYMBOL_INFO] = STB_LOCAL << 4 | STT_OBJECT;
    device_elf_set_u32(&elf, ".symtab", SECTION_INFO, SYMBOL_COUNT_BOTH);
    struct outcome outcome = {0};
    device_elf_open(&elf, &outcome);
    assert_int_equal(outcome.seen[ELF_RULE_SYMBOL_UNDEFINED], 1);
    store_u32(device_elf_symbol(&elf, ".symtab", SYMBOL_WEAK) + SYMBOL_NAME, UINT32_MAX);
    device_elf_open(&elf, &outcome);
    assert_int_equal(outcome.seen[ELF_RULE_SYMBOL_NAME], 1);
    device_elf_free(&elf);
}

static void a_function_is_no_alias_of_its_own_name(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    uint8_t *function = device_elf_symbol(&elf, ".symtab", SYMBOL_KERNEL);
    uint8_t *alias = device_elf_symbol(&elf, ".symtab", SYMBOL_CALLEE);
    make_function_of_kernel(&elf);
    memcpy(alias + SYMBOL_INFO, function + SYMBOL_INFO, ELF_SYMBOL_SIZE - SYMBOL_INFO);
    struct outcome alone = {0}, repeated = {0};
    device_elf_open(&elf, &alone);
    memcpy(alias, function, SYMBOL_INFO);
    device_elf_open(&elf, &repeated);
    assert_int_equal(alone.seen[ELF_RULE_FUNCTION_ALIAS], 0);
    assert_int_equal(repeated.seen[ELF_RULE_FUNCTION_ALIAS], 1);
    device_elf_free(&elf);
}

/* When the handler stops the reader at the violation of MEMORY_FLAGS, the checks that follow do not
 * run. Then the reader must not use the data that they would check, such as a name 4 GB past the
 * string table. */
static void nothing_unchecked_is_read_after_the_handler_has_stopped(void **state)
{
    (void)state;
    for (size_t i = 0; i < BROKEN_RULES_COUNT; i++) {
        struct device_elf elf;
        struct outcome outcome = {.stop_at_once = true};
        device_elf_build(&elf);
        break_rule(&elf, ELF_RULE_MEMORY_FLAGS);
        BROKEN_RULES[i].break_file(&elf);
        device_elf_open(&elf, &outcome);
        bool is_executable = BROKEN_RULES[i].rule == ELF_RULE_NO_STACK_SIZE;
        assert_int_equal(outcome.opened, is_executable); /* the rule is for objects only */
        assert_int_equal(outcome.calls, 1);
        device_elf_free(&elf);
    }
}

/* If static functions share a name, a relocatable link appends `#` and a number to the names of
 * their sections. */
static void a_number_may_follow_the_name_of_an_owner(void **state)
{
    (void)state;
    static const char *const NAMES[] = {".nv.info.k#12", ".nv.info.k#1x", ".nv.info.j#12"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct device_elf elf;
        struct outcome outcome = {0};
        device_elf_build(&elf);
        uint8_t names[4096];
        size_t size = (size_t)load_u64(device_elf_header(&elf, ".shstrtab") + SECTION_SIZE);
        memcpy(names, device_elf_contents(&elf, ".shstrtab"), size);
        memcpy(names + size, NAMES[i], strlen(NAMES[i]) + 1);
        device_elf_set_u32(&elf, ".nv.info.k", SECTION_NAME, (uint32_t)size);
        device_elf_replace(&elf, ".shstrtab", names, size + strlen(NAMES[i]) + 1);
        device_elf_open(&elf, &outcome);
        assert_int_equal(outcome.seen[ELF_RULE_OWNER_NAME], i > 0);
        device_elf_free(&elf);
    }
}

static void an_index_file_has_no_name_of_another_section(void **state)
{
    static const char *const NAMES[] = {".nv.info.k", ".nv.callgraph"};
    (void)state;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct device_elf elf;
        device_elf_build(&elf);
        device_elf_set_u32(&elf, NAMES[i], SECTION_TYPE, SHT_CUDA_UNIFIED_INDEX);
        assert_int_equal(only_rule_of(&elf), ELF_RULE_SECTION_KIND);
        device_elf_free(&elf);
    }
}

static void a_note_is_in_the_section_that_is_marked_for_it(void **state)
{
    (void)state;
    struct device_elf elf;
    device_elf_build(&elf);
    device_elf_set_u64(&elf, ".note.nv.cuinfo", SECTION_FLAGS,
                       load_u64(device_elf_header(&elf, ".note.nv.cuinfo") + SECTION_FLAGS) |
                           SHF_TKINFO_NOTE);
    assert_int_equal(only_rule_of(&elf), ELF_RULE_NOTE_CUINFO);
    device_elf_free(&elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_a_case_and_a_text_of_its_own),
        cmocka_unit_test(breaking_a_rule_reports_it_alone),
        cmocka_unit_test(nothing_unchecked_is_read_after_the_handler_has_stopped),
        cmocka_unit_test(what_kernels_have_belongs_to_kernels),
        cmocka_unit_test(variables_of_shared_memory_belong_to_kernels),
        cmocka_unit_test(alignments_of_symbols_are_bounded),
        cmocka_unit_test(records_of_undefined_functions_are_reported),
        cmocka_unit_test(unknown_stack_is_no_attribute_of_linkers),
        cmocka_unit_test(code_consists_of_whole_instructions),
        cmocka_unit_test(the_bank_of_parameters_has_the_type_of_banks),
        cmocka_unit_test(only_a_size_is_an_undefined_local_object),
        cmocka_unit_test(a_function_is_no_alias_of_its_own_name),
        cmocka_unit_test(a_number_may_follow_the_name_of_an_owner),
        cmocka_unit_test(an_index_file_has_no_name_of_another_section),
        cmocka_unit_test(a_note_is_in_the_section_that_is_marked_for_it),
        cmocka_unit_test(function_data_is_of_the_native_view),
        cmocka_unit_test(a_problem_says_where_it_is),
        cmocka_unit_test(several_problems_are_all_reported_unless_the_handler_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
