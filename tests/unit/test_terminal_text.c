/* Which characters of a text may reach a terminal, and what is shown for others. tests/tidy
 * compares the table of characters with Unicode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/json_escape.h"
#include "base/terminal_text.h"

static void expect(const char *text, const char *shown)
{
    char copy[64], escaped[sizeof copy * TERMINAL_ESCAPE_SIZE], *made;
    struct arena arena;
    assert_in_range(strlen(text), 1, sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    arena_init(&arena, NULL, NULL);
    assert_string_equal(terminal_text_show(&arena, text), shown);
    assert_int_equal(terminal_text_show(&arena, text) == text, !strcmp(text, shown));
    arena_destroy(&arena);

    assert_ptr_equal(terminal_text_escape(escaped, text), escaped + strlen(shown));
    assert_string_equal(escaped, shown);

    assert_string_equal(terminal_text_make_safe(copy, &made), shown);
    assert_int_equal(!made, !strcmp(text, shown));
    free(made);
}

static void controls_are_escaped(void **state)
{
    (void)state;
    expect("a\tb\x1b[1m\x7f", "a\\x09b\\x1b[1m\\x7f");
    expect("\xc2\x80"
           "a\xc2\x9f"
           "b",
           "\\xc2\\x80a\\xc2\\x9fb");
    expect("\xe2\x80\xae"
           "a\xe2\x81\xa9"
           "b\xef\xbb\xbf",
           "\\xe2\\x80\\xaea\\xe2\\x81\\xa9b\\xef\\xbb\\xbf");
    expect("\xf3\xa0\x81\xbf", "\\xf3\\xa0\\x81\\xbf");
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
    expect("\x9b[1m\xe9", "\\x9b[1m\xe9");
    expect("\xe2\x80", "\xe2\\x80");
    expect("\xc3(\xed\xa0\x80", "\xc3(\xed\xa0\\x80");
}

/* What a program prints can have lines, and NULs. */
static void printed_texts(void **state)
{
    (void)state;
    static const char TEXT[] = "a\n\tb\0c\x1b";
    struct arena arena;
    arena_init(&arena, NULL, NULL);
    assert_string_equal(terminal_text_show_printed(&arena, TEXT, sizeof TEXT - 1, true),
                        "a\n\tb\\x00c\\x1b");
    assert_string_equal(terminal_text_show_printed(&arena, TEXT, sizeof TEXT - 1, false),
                        "a\\x0a\\x09b\\x00c\\x1b");
    assert_ptr_equal(terminal_text_show_printed(&arena, TEXT, 4, true), TEXT);
    arena_destroy(&arena);
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
        cmocka_unit_test(controls_are_escaped), cmocka_unit_test(other_characters_remain),
        cmocka_unit_test(bytes_outside_utf_8),  cmocka_unit_test(printed_texts),
        cmocka_unit_test(escapes_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
