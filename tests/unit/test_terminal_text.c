/* Which characters of a text may reach a terminal. tests/tidy compares the table of characters with
 * Unicode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_escape.h"
#include "base/terminal_text.h"

static void expect(const char *text, const char *shown)
{
    char copy[64];
    assert_in_range(strlen(text), 1, sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    terminal_text_hide_controls(copy);
    assert_string_equal(copy, shown);
}

static void controls_are_hidden(void **state)
{
    (void)state;
    expect("a\tb\x1b[1m\x7f", "a?b?[1m?");
    expect("\xc2\x80"
           "a\xc2\x9f"
           "b",
           "??a??b");
    expect("\xe2\x80\xae"
           "a\xe2\x81\xa9"
           "b\xef\xbb\xbf",
           "???a???b???");
    expect("\xf3\xa0\x81\xbf", "????");
}

static void other_characters_remain(void **state)
{
    (void)state;
    expect("~ \xc2\xa0\xc3\xa9", "~ \xc2\xa0\xc3\xa9");
    expect("\xe2\x80\xaf\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x80\xaf\xe2\x82\xac\xf0\x9f\x98\x80");
}

/* A byte that is not part of valid UTF-8 is treated as Latin-1, in which 0x80 to 0x9f are control
 * characters. */
static void bytes_outside_utf_8(void **state)
{
    (void)state;
    expect("\x9b[1m\xe9", "?[1m\xe9");
    expect("\xe2\x80", "\xe2?");
    expect("\xc3(\xed\xa0\x80", "\xc3(\xed\xa0?");
}

static void escapes_in_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *escape;
    } CASES[] = {
        {"a", 1, ""},
        {"\"", 1, "\\\""},
        {"</", 1, "\\u003c"},
        {"<1", 1, ""},
        {"\x1b", 1, "\\u001b"},
        {"\xc3\xa9", 2, ""},
        {"\xc2\x9b", 2, "\\u009b"},
        {"\xe2\x80\xae", 3, "\\u202e"},
        {"\xf3\xa0\x81\xbf", 4, "\\udb40\\udc7f"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char escape[JSON_LONGEST_ESCAPE];
        assert_int_equal(json_escape(escape, CASES[i].text), CASES[i].size);
        assert_string_equal(escape, CASES[i].escape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_hidden),
        cmocka_unit_test(other_characters_remain),
        cmocka_unit_test(bytes_outside_utf_8),
        cmocka_unit_test(escapes_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
