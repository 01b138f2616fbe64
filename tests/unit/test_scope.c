/* The scope and the template of a readable name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tool/size/scope.h"

static const struct {
    const char *readable, *scope, *template;
} NAMES[] = {
    {"f", NULL, NULL},
    {"f(int)", NULL, NULL},
    {"a::f(b::c, d<e>)", "a", NULL},
    {"int a::B::f<int>(x::y)", "a::B", "a::B::f<>"},
    {"void a::B<c::d, (e)1>::f(int)", "a::B<>", "a::B<>::f"},
    {"a::f<b<c> >(int)", "a", "a::f<>"},
    {"(anonymous namespace)::f(int)", "(anonymous namespace)", NULL},
    {"a::(anonymous namespace)::f<int>(int)", "a::(anonymous namespace)",
     "a::(anonymous namespace)::f<>"},
    {"a::B::operator()(int) const", "a::B", NULL},
    {"a::B::operator<(a::B const&) const", "a::B", NULL},
    {"bool a::operator<< <int>(a::B<int>)", "a", NULL},
    {"a::f()::tile", "a", NULL},
    {"a<b", NULL, "a<"},
    {">)", NULL, NULL},
    {"", NULL, NULL},
};

static void assert_text(const char *found, const char *expected)
{
    if (expected)
        assert_string_equal(found, expected);
    else
        assert_null(found);
}

static void test_names(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, NULL, NULL);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        assert_text(scope_of(NAMES[i].readable, &arena), NAMES[i].scope);
        assert_text(template_of(NAMES[i].readable, &arena), NAMES[i].template);
    }
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
