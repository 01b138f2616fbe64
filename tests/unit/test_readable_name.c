/* Readable forms of mangled names, as nvlink prints them and as warpld's messages do, and the
 * limits on their size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"

static void out_of_memory(void *owner)
{
    (void)owner;
    fail_msg("out of memory");
}

static void set_up(struct arena *arena, struct readable_names *names)
{
    arena_init(arena, out_of_memory, NULL);
    *names = (struct readable_names){.arena = arena};
}

/* Returns a mangled name. Each step doubles the length of its readable form. */
static const char *doubled(char name[512], int steps)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int size = snprintf(name, 512, "_Z1f1PIiiES_IS0_S0_E");
    for (int i = 1; i < steps; i++)
        size += snprintf(name + size, 512 - (size_t)size, "S_IS%c_S%c_E", DIGITS[i], DIGITS[i]);
    return name;
}

static void usual_names_cost_nothing(void **state)
{
    (void)state;
    struct arena arena;
    struct readable_names names;
    set_up(&arena, &names);
    assert_string_equal(readable_name(&names, "_ZN1a1bILi3EEEvRKi", true),
                        "void a::b<(int)3>(const int &)");
    assert_string_equal(readable_name(&names, "plain", true), "plain");
    assert_int_equal(names.spent, 0);
    arena_destroy(&arena);
}

/* Spelling this name makes more text than spelling the longest names of CuTe, which makes half a
 * megabyte. Those names have 2,600 characters in mangled form and 9,000 in readable form. */
static void a_long_name_is_spelled(void **state)
{
    (void)state;
    enum { CUTE_NAME = 1 << 19 };
    struct arena arena;
    struct readable_names names;
    char name[512];
    set_up(&arena, &names);
    assert_ptr_not_equal(readable_name(&names, doubled(name, 11), true), name);
    assert_in_range(names.spent, CUTE_NAME, READABLE_TEXT_OF_NAME);
    arena_destroy(&arena);
}

static void a_dear_name_stays_mangled(void **state)
{
    (void)state;
    struct arena arena;
    struct readable_names names;
    char name[512];
    set_up(&arena, &names);
    assert_ptr_equal(readable_name(&names, doubled(name, 18), true), name);
    assert_in_range(names.spent, READABLE_TEXT_OF_NAME / 2, READABLE_TEXT_OF_NAME * 2);
    arena_destroy(&arena);
}

static void names_that_are_less_dear_share_an_amount(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    struct arena arena;
    struct readable_names names;
    char name[512];
    int readable = 0;
    set_up(&arena, &names);
    doubled(name, 9);
    for (int i = 0; i < MANY; i++)
        readable += readable_name(&names, name, true) != name;
    assert_in_range(readable, 1, MANY - 1);
    assert_in_range(names.spent, 1, READABLE_TEXT_OF_ALL);
    assert_string_equal(readable_name(&names, "_Z3fooi", true), "foo(int)");
    arena_destroy(&arena);
}

/* The first names come from RFC 2603 and from the tests of rustc-demangle. */
static void names_of_rust_are_read(void **state)
{
    static const char *const NAMES[][2] = {
        {"_RNvC6_123foo3bar", "123foo::bar"},
        {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
        {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
        {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_"
         "ECs1iopQbuBiw2_"
         "3std",
         "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
        {"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"},
        {"_RNvXs_C7mycrateNtB4_3FooNtNtC4core3fmt5Debug3fmt",
         "<mycrate::Foo as core::fmt::Debug>::fmt"},
        {"_RINvC1c1fKb1_Kc41_Kanb_E", "c::f::<true, 'A', -11>"},
        {"_RINvC1c1fFUKCmEuTmEE", "c::f::<unsafe extern \"C\" fn(u32), (u32,)>"},
        {"_RINvC1c1fQShRLe_eE", "c::f::<&mut [u8], &'_ str>"},
        {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
        {"_ZN9_$LT$c_$__$_Foo17h0123456789abcdefE", NULL},
        {"_ZN31_$LT$u8$u20$as$u20$c_$__$_Trait$GT$1f17h0123456789abcdefE", "<u8 as c::Trait>::f"},
        {"_RNvC3foo", NULL},
        {"_RNvB_3foo", NULL},
        {"_RINvC1c1fTB7_EE", NULL},
    };
    (void)state;
    struct arena arena;
    struct readable_names names;
    set_up(&arena, &names);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *expected = NAMES[i][1] ? NAMES[i][1] : NAMES[i][0];
        assert_string_equal(readable_name(&names, NAMES[i][0], false), expected);
    }
    assert_string_equal(readable_name(&names, NAMES[0][0], true), NAMES[0][0]);
    arena_destroy(&arena);
}

/* A name with 30 tuples that refer to its first tuple has a readable form. A name with 400 letters
 * N, each of which begins a nested name, is shown mangled: the library does not read that many
 * levels. */
static void a_name_of_rust_with_deep_nesting_stays_mangled(void **state)
{
    (void)state;
    char name[512] = "_RINvC1c1fTmmE";
    const char *positions = "789abcdefghijklmnopqrstuvwxyzABCDEFGH";
    size_t size = strlen(name);
    for (int i = 0; i < 30; i++)
        size += (size_t)snprintf(name + size, sizeof name - size, "TB%c_B%c_E", positions[0],
                                 positions[0]);
    snprintf(name + size, sizeof name - size, "E");
    struct arena arena;
    struct readable_names names;
    set_up(&arena, &names);
    assert_non_null(readable_name(&names, name, false));
    memset(name + 2, 'N', 400);
    name[402] = 0;
    assert_string_equal(readable_name(&names, name, false), name);
    arena_destroy(&arena);
}

static void names_in_messages_are_spelled_as_compilers_do(void **state)
{
    static const char *const NAMES[][2] = {
        {"_Z1fIiEvT_", "void f<int>(int)"},
        {"__nv_static_3_abc__Z1kPKi", "k(int const*)"},
        {"__nv_static_3_abc_hidden", "hidden"},
        {"__nv_static_3_abc_", "__nv_static_3_abc_"},
        {"__nv_static_9_abc_hidden", "__nv_static_9_abc_hidden"},
        {"__nv_static_99999999999999999999_a", "__nv_static_99999999999999999999_a"},
        {"_Z1fv$copy", "[clone f()] copy"},
        {"_RNvC6_123foo3bar", "123foo::bar"},
        {"_ZN34_INTERNAL_4c06d2b6_5_st_cu__Z2kkPi3recEi", "rec(int)"},
        {"plain", "plain"},
    };
    (void)state;
    struct arena arena;
    struct readable_names names;
    set_up(&arena, &names);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        assert_string_equal(readable_message_name(&names, NAMES[i][0]), NAMES[i][1]);
    arena_destroy(&arena);
}

static void names_in_texts_are_replaced(void **state)
{
    static const char *const TEXTS[][2] = {
        {"'_Z1fi' in '_Z1fi.o'", "'f(int)' in '_Z1fi.o'"},
        {"section .text._Z1fi, x_Z1fi", "section .text.f(int), x_Z1fi"},
        {"uses _Z1fv.", "uses f()."},
        {"'_RNvC6_123foo3bar' -> _Zz", "'123foo::bar' -> _Zz"},
        {"_INTERNAL_4c06d2b6_5_st_cu__Z2kkPi::rec(int)", "rec(int)"},
        {"my_INTERNAL_4c06d2b6_5_st_cu::r", "my_INTERNAL_4c06d2b6_5_st_cu::r"},
        {"_INTERNAL_x::r(_INTERNAL_01234567_1_a::)", "_INTERNAL_x::r()"},
        {"nothing", "nothing"},
    };
    (void)state;
    struct arena arena;
    struct readable_names names;
    set_up(&arena, &names);
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        assert_string_equal(readable_text(&names, TEXTS[i][0]), TEXTS[i][1]);
    arena_destroy(&arena);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(usual_names_cost_nothing),
        cmocka_unit_test(a_long_name_is_spelled),
        cmocka_unit_test(a_dear_name_stays_mangled),
        cmocka_unit_test(names_that_are_less_dear_share_an_amount),
        cmocka_unit_test(names_of_rust_are_read),
        cmocka_unit_test(a_name_of_rust_with_deep_nesting_stays_mangled),
        cmocka_unit_test(names_in_messages_are_spelled_as_compilers_do),
        cmocka_unit_test(names_in_texts_are_replaced),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
