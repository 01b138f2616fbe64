/* The table of section types, and the functions that look up its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/section_type.h"

static const struct {
    uint32_t value;
    const char *name;
    enum section_form form;
    enum section_type_view view;
    uint32_t executable_value;
    const char *about;
} TYPES[] = {
#define SECTION_TYPE(value, name, form, view, executable_value, about)                             \
    {value, #name, FORM_##form, TYPE_VIEW_##view, executable_value, about},
#include "format/section_type.def"
#undef SECTION_TYPE
};

enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static void values_ascend_and_names_are_unique(void **state)
{
    (void)state;
    for (int i = 1; i < TYPE_COUNT; i++) {
        assert_true(TYPES[i].value > TYPES[i - 1].value);
        assert_true(strlen(TYPES[i].about) > 4);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(TYPES[i].name, TYPES[other].name);
    }
}

/* The types in executables are not compared for constant banks, because some of their numbers have
 * another meaning in the Mercury view. */
static void the_functions_say_what_the_table_says(void **state)
{
    (void)state;
    for (int i = 0; i < TYPE_COUNT; i++) {
        assert_string_equal(section_type_name(TYPES[i].value), TYPES[i].name);
        assert_int_equal(section_type_facts(TYPES[i].value)->form, TYPES[i].form);
        assert_int_equal(section_type_facts(TYPES[i].value)->view, TYPES[i].view);
        assert_true(section_type_has_bytes(TYPES[i].value) == (TYPES[i].form != FORM_NO_BYTES));
        if (section_type_constant_bank(TYPES[i].value) < 0)
            assert_int_equal(section_type_in_executable(TYPES[i].value), TYPES[i].executable_value);
    }
}

/* The type of a section of an executable does not change when the executable is linked again. */
static void types_of_executables_do_not_change(void **state)
{
    (void)state;
    for (int i = 0; i < TYPE_COUNT; i++)
        if (section_type_constant_bank(TYPES[i].value) < 0)
            assert_int_equal(section_type_in_executable(TYPES[i].executable_value),
                             TYPES[i].executable_value);
}

static void there_are_27_constant_banks(void **state)
{
    (void)state;
    for (uint32_t bank = 0; bank < CONSTANT_BANK_COUNT; bank++) {
        uint32_t type = SHT_CUDA_CONSTANT0 + bank;
        assert_int_equal(section_type_constant_bank(type), bank);
        assert_int_equal(section_type_in_executable(type), SHT_PROGBITS);
        assert_true(section_type_has_bytes(type));
        assert_non_null(section_type_name(type));
    }
    assert_int_equal(section_type_constant_bank(SHT_CUDA_CONSTANT0 + 27), -1);
    assert_int_equal(section_type_constant_bank(SHT_CUDA_CONSTANT0 - 1), -1);
    assert_int_equal(section_type_constant_bank(SHT_PROGBITS), -1);
    assert_string_equal(section_type_name(SHT_CUDA_CONSTANT0 + 3), "CUDA_CONSTANT3");
}

static void names_of_constant_banks_have_a_number(void **state)
{
    (void)state;
    assert_int_equal(section_name_constant_bank(".nv.constant3.k"), 3);
    assert_int_equal(section_name_constant_bank(".nv.constant26"), 26);
    assert_int_equal(section_name_constant_bank(".nv.constant27"), -1);
    assert_int_equal(section_name_constant_bank(".nv.constant"), -1);
    assert_int_equal(section_name_constant_bank(".text.k"), -1);
}

static void unknown_types_have_bytes_and_no_name(void **state)
{
    (void)state;
    static const uint32_t UNKNOWN[] = {5,          31,         32,         0x6fffffff, 0x70000005,
                                       0x700000ff, 0x70000100, 0x7fffffff, UINT32_MAX};
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; i++) {
        assert_null(section_type_name(UNKNOWN[i]));
        assert_true(section_type_has_bytes(UNKNOWN[i]));
        assert_int_equal(section_type_facts(UNKNOWN[i])->view, TYPE_VIEW_EITHER);
        assert_int_equal(section_type_in_executable(UNKNOWN[i]), UNKNOWN[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_ascend_and_names_are_unique),
        cmocka_unit_test(the_functions_say_what_the_table_says),
        cmocka_unit_test(types_of_executables_do_not_change),
        cmocka_unit_test(there_are_27_constant_banks),
        cmocka_unit_test(names_of_constant_banks_have_a_number),
        cmocka_unit_test(unknown_types_have_bytes_and_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
