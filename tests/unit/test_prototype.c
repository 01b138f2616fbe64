/* Readable descriptions of function prototypes, and codes that cannot be described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/prototype.h"

static void codes_are_described(void **state)
{
    static const struct {
        const char *code, *text;
    } CASES[] = {
        {"#v", "void ()"},
        {"#ifb16", "int or float (float, 16-byte struct)"},
        {"#ll4b0", "long, double or pointer (4 elements of long, double or pointer, ...)"},
        {"#vd|more", "void (double)"},
    };
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_true(prototype_describe(CASES[i].code, text, sizeof text));
        assert_string_equal(text, CASES[i].text);
    }
}

static void other_codes_are_not(void **state)
{
    static const char *const CODES[] = {"", "v", "#", "#?", "#vq", "#b123456789012345678901"};
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        assert_false(prototype_describe(CODES[i], text, sizeof text));
}

static void a_text_that_does_not_fit_is_refused(void **state)
{
    enum { SIZE = sizeof "void (double, 16-byte struct)" };
    char text[SIZE];
    (void)state;
    assert_true(prototype_describe("#vdb16", text, SIZE));
    for (size_t capacity = 1; capacity < SIZE; capacity++)
        assert_false(prototype_describe("#vdb16", text, capacity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_described),
        cmocka_unit_test(other_codes_are_not),
        cmocka_unit_test(a_text_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
