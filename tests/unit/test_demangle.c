/* Demangling, also of names that no compiler writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/demangle.h"

static void names_of_functions(void **state)
{
    (void)state;
    char text[64];
    assert_true(demangle_into("_Z3fooi", text, sizeof text));
    assert_string_equal(text, "foo(int)");
    assert_true(demangle_into("_ZN1a1bE", text, sizeof text));
    assert_string_equal(text, "a::b");
}

static void what_is_not_mangled(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"", "_", "_Z", "_Zx!", "foo", "_Z3fo", "i", "_Z3fooi\xff"};
    char text[64];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        assert_false(demangle_into(NAMES[i], text, sizeof text));
}

/* The demangler of GCC 12.2 does not return for these malformed names. A valid name of the same
 * kind is demangled. */
static void names_that_are_read_forever(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"_Z1fIXsr1AplDD", "_Z1fIXsr2aboDD", "_Z1fIXsr1A0C",
                                        "_Z1fIXsr1AU",    "_Z1fDTsr1AplC9", "_Z1fAsr1AplUx_"};
    char text[200];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        assert_false(demangle_into(NAMES[i], text, sizeof text));
    assert_true(demangle_into("_Z1fIiEvN1SIXsr1AIT_E5valueEEE", text, sizeof text));
    assert_string_equal(text, "void f<int>(S<A<int>::value>)");
}

/* The demangler of GCC 12.2 needs twice the time for each further level of these names, so it would
 * need hours for 40 levels. Valid names of the same kinds are demangled. */
static void names_that_take_exponential_time(void **state)
{
    (void)state;
    enum { LEVELS = 40 };
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char conversion[256] = "_Zcv", expansion[512] = "_Z1fDp1A", text[200];
    for (int i = 0; i < LEVELS; i++) {
        snprintf(conversion + strlen(conversion), 4, "T_I");
        snprintf(expansion + strlen(expansion), 4, i ? "IS_" : "I1A");
    }
    snprintf(conversion + strlen(conversion), 3, "iE");
    snprintf(expansion + strlen(expansion), 4, "Iii");
    for (int i = 0; i < 36; i++)
        snprintf(expansion + strlen(expansion), 6, "ES%c_", DIGITS[i]);
    assert_false(demangle_into(conversion, text, sizeof text));
    assert_false(demangle_into(expansion, text, sizeof text));
    assert_true(demangle_into("_ZN1AcvT_IiEEv", text, sizeof text));
    assert_true(demangle_into("_Z1fIJidEEvDpRKT_", text, sizeof text));
    assert_string_equal(text, "void f<int, double>(int const&, double const&)");
}

static void what_does_not_fit(void **state)
{
    (void)state;
    char text[16];
    for (size_t capacity = 0; capacity <= 8; capacity++)
        assert_false(demangle_into("_Z3fooi", text, capacity));
    assert_true(demangle_into("_Z3fooi", text, 9));
}

/* Each round of the loop appends a type whose text is twice as long as that of the type before it.
 * The text of the last type would have 2^30 characters. */
static void a_short_name_for_a_long_one(void **state)
{
    (void)state;
    static char text[1 << 16];
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[512];
    int size = snprintf(name, sizeof name, "_Z1fI1AIiiE");
    for (int i = 1; i < 30; i++)
        size += snprintf(name + size, sizeof name - (size_t)size, "S1_IS%c_S%c_E", DIGITS[i],
                         DIGITS[i]);
    snprintf(name + size, sizeof name - (size_t)size, "Evv");
    assert_false(demangle_into(name, text, sizeof text));
    assert_true(strlen(text) > sizeof text / 2);
}

static void very_long_names(void **state)
{
    (void)state;
    static char name[1 << 20], text[4096];
    memcpy(name, "_Z1f", 4);
    memset(name + 4, 'P', sizeof name - 6);
    name[sizeof name - 2] = 'i';
    assert_false(demangle_into(name, text, sizeof text));
    name[1000] = 'i';
    name[1001] = 0;
    assert_true(demangle_into(name, text, sizeof text));
}

static void out_of_memory(void *owner)
{
    (void)owner;
    fail();
}

static void names_of_sections(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, out_of_memory, NULL);
    assert_string_equal(demangle_name(&arena, ".text._Z3fooi"), ".text.foo(int)");
    assert_string_equal(demangle_name(&arena, ".text.kernel"), ".text.kernel");
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_functions),
        cmocka_unit_test(what_is_not_mangled),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(a_short_name_for_a_long_one),
        cmocka_unit_test(very_long_names),
        cmocka_unit_test(names_of_sections),
        cmocka_unit_test(names_that_are_read_forever),
        cmocka_unit_test(names_that_take_exponential_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
