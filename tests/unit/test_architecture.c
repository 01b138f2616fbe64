/* Target architectures: their names, and the objects that each of them accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/architecture.h"

static void names_find_their_architecture(void **state)
{
    (void)state;
    size_t count;
    const struct architecture *all = architectures(&count);
    assert_int_equal(count, 31);
    for (size_t i = 0; i < count; i++) {
        char name[16];
        architecture_name(&all[i], name);
        assert_ptr_equal(architecture_find(name), &all[i]);
    }
    assert_int_equal(architecture_find("sm_90a")->suffix, SUFFIX_ACCELERATED);
    assert_int_equal(architecture_find("sm_103f")->suffix, SUFFIX_FAMILY);
}

static void other_names_find_none(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"",       "sm_",     "sm_9",       "sm_71",      "sm_900",
                                        "sm_90b", "sm_90aa", "compute_90", "SM_90",      "90",
                                        "sm_80a", "sm_90f",  "sm_090",     "sm_90a_ext", " sm_90"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (architecture_find(NAMES[i]))
            fail_msg("'%s' names an architecture", NAMES[i]);
}

static void facts_are_consistent(void **state)
{
    (void)state;
    size_t count;
    const struct architecture *all = architectures(&count);
    for (size_t i = 0; i < count; i++) {
        bool is_mercury = all[i].number >= 100;
        assert_int_equal(all[i].code, is_mercury ? CODE_MERCURY : CODE_NATIVE);
        assert_int_equal(all[i].family != 0, is_mercury);
        assert_true(all[i].family <= all[i].number);
        assert_int_equal(all[i].shared_reserved, all[i].number >= 90 ? 0x400 : 0);
        assert_int_equal(all[i].relocations,
                         all[i].number >= 90 ? RELOCATIONS_RELA : RELOCATIONS_REL_AND_RELA);
        uint32_t accelerated_limit = all[i].number >= 120 ? 0x18c00 : 0x38c00;
        assert_int_equal(all[i].shared_limit,
                         all[i].suffix == SUFFIX_ACCELERATED ? accelerated_limit : 0xc000);
        if (all[i].suffix == SUFFIX_ACCELERATED)
            assert_int_equal(all[i].extended_limit, all[i].shared_limit);
        if (architecture_is_of_cuda_12(&all[i]))
            assert_int_equal(all[i].extended_limit, all[i].number < 70 ? 0xc000 : 0x18000);
        else
            assert_true(all[i].extended_limit > 0xc000);
        if (all[i].number < 80)
            assert_int_equal(all[i].parameter_base, all[i].number < 70 ? 0x140 : 0x160);
        if (i && all[i].number == all[i - 1].number) {
            assert_int_equal(all[i].parameter_base, all[i - 1].parameter_base);
            assert_int_equal(all[i].extended_limit, all[i - 1].extended_limit);
        }
    }
}

/* For each target, the SM numbers of the objects that it accepts. Observed with nvlink 13.0.88 for
 * each pair of its 23 architectures, and for targets up to sm_72 with libnvJitLink 12.9 and objects
 * of 14 architectures. */
static const struct {
    uint16_t target;
    uint16_t objects[4];
} ACCEPTED[] = {
    {50, {50}},     {52, {50, 52}},    {53, {53}},   {60, {60}},         {61, {60, 61}},
    {62, {62}},     {70, {70}},        {72, {72}},   {75, {75}},         {80, {80}},
    {86, {80, 86}}, {87, {87}},        {88, {88}},   {89, {80, 86, 89}}, {90, {90}},
    {100, {100}},   {103, {100, 103}}, {110, {110}}, {120, {120}},       {121, {120, 121}},
};

static bool is_accepted(unsigned target, unsigned object)
{
    for (size_t i = 0; i < sizeof ACCEPTED / sizeof *ACCEPTED; i++)
        for (size_t j = 0; ACCEPTED[i].target == target && j < 4; j++)
            if (ACCEPTED[i].objects[j] == object)
                return true;
    return false;
}

static void targets_run_what_nvlink_accepts(void **state)
{
    (void)state;
    size_t count;
    const struct architecture *all = architectures(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned object = 1; object < 256; object++)
            if (architecture_runs_code_of(&all[i], object) != is_accepted(all[i].number, object))
                fail_msg("object %u for target %u", object, all[i].number);
}

static void abi_12_accepts_volta_for_turing(void **state)
{
    (void)state;
    size_t count;
    const struct architecture *all = architectures(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned object = 1; object < 256; object++) {
            bool is_volta = all[i].number == 75 && object == 70;
            bool expected = is_volta || is_accepted(all[i].number, object);
            if (architecture_runs_code_in_abi_12(&all[i], object) != expected)
                fail_msg("object %u for target %u", object, all[i].number);
        }
}

static void targets_of_cuda_12_have_no_virtual_name(void **state)
{
    (void)state;
    assert_true(architecture_is_of_cuda_12(architecture_find("sm_72")));
    assert_false(architecture_is_of_cuda_12(architecture_find("sm_75")));
    assert_null(architecture_find_virtual("compute_72"));
    assert_non_null(architecture_find_virtual("compute_75"));
}

static void some_code_must_be_translated(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        unsigned object;
        bool is_translated;
    } CASES[] = {{"sm_103", 100, true}, {"sm_103f", 100, true},  {"sm_103", 103, false},
                 {"sm_89", 80, false},  {"sm_121a", 120, false}, {"sm_90", 80, false}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(
            architecture_translates_code_of(architecture_find(CASES[i].target), CASES[i].object),
            CASES[i].is_translated);
}

static void an_unknown_number_has_no_family(void **state)
{
    (void)state;
    assert_int_equal(architecture_family(103), architecture_find("sm_103f")->family);
    assert_int_equal(architecture_family(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_their_architecture),
        cmocka_unit_test(other_names_find_none),
        cmocka_unit_test(facts_are_consistent),
        cmocka_unit_test(targets_run_what_nvlink_accepts),
        cmocka_unit_test(abi_12_accepts_volta_for_turing),
        cmocka_unit_test(targets_of_cuda_12_have_no_virtual_name),
        cmocka_unit_test(some_code_must_be_translated),
        cmocka_unit_test(an_unknown_number_has_no_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
