/* Readable names as nvlink shows them, and what they may cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "readable_name/readable_name.h"

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

/* Each step doubles the text. */
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

/* As those of CuTe's functions, whose 2,600 characters become 9,000. */
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
    enum { MANY = 2000 };
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

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(usual_names_cost_nothing),
        cmocka_unit_test(a_long_name_is_spelled),
        cmocka_unit_test(a_dear_name_stays_mangled),
        cmocka_unit_test(names_that_are_less_dear_share_an_amount),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
