/* Reads the header of Mercury code in both forms that compilers write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/mercury_header.h"

static bool read(const uint32_t *words, size_t size, struct mercury_header *header)
{
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof bytes / 4; i++)
        store_u32(bytes + 4 * i, words[i]);
    return mercury_header_read((struct bytes){bytes, size}, header);
}

/* Asserts that the words are a header of `size` bytes, with 7 items and native section 12. Asserts
 * that the header is refused if its last byte is missing. */
static void expect_header(const uint32_t *words, uint32_t size)
{
    struct mercury_header header = {0};
    assert_true(read(words, 16, &header));
    assert_int_equal(header.native_section, 12);
    assert_int_equal(header.item_count, 7);
    assert_int_equal(header.size, size);
    assert_false(read(words, size - 1, &header));
}

static void the_form_of_13_0_has_three_words(void **state)
{
    (void)state;
    static const uint32_t WORDS[4] = {12, 0xc0000001, 7, 0x28};
    expect_header(WORDS, 12);
}

static void the_form_of_12_8_has_two_words(void **state)
{
    (void)state;
    static const uint32_t WORDS[4] = {12, 0x40000007, 0x28}, MANY[4] = {12, 0x4fffffff};
    struct mercury_header header = {0};
    expect_header(WORDS, 8);
    assert_true(read(MANY, 8, &header));
    assert_int_equal(header.item_count, 0xfffffff);
}

static void other_forms_are_not_read(void **state)
{
    (void)state;
    static const uint32_t WORDS[][4] = {{12, 0, 7}, {12, 0xc0000002, 7}, {12, 0x80000007, 7}};
    struct mercury_header header = {0};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        assert_false(read(WORDS[i], 16, &header));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_of_13_0_has_three_words),
        cmocka_unit_test(the_form_of_12_8_has_two_words),
        cmocka_unit_test(other_forms_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
