/* Reading records of data about functions. The list ends at a record that is cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "format/function_data.h"

enum { PAIRS = 2, SIZE = FUNCTION_DATA_HEADER + PAIRS * 8 };

static void write_record(uint8_t record[SIZE])
{
    static const uint32_t WORDS[] = {7, 30, PAIRS, FUNCTION_DATA_TEXT, 12, 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        store_u32(record + 4 * i, WORDS[i]);
}

static void a_record_is_read(void **state)
{
    uint8_t bytes[SIZE];
    struct function_data record;
    (void)state;
    write_record(bytes);
    struct bytes rest = {bytes, SIZE};
    assert_true(function_data_next(&rest, &record));
    assert_int_equal(record.symbol, 7);
    assert_int_equal(record.name, 30);
    assert_int_equal(record.count, PAIRS);
    assert_int_equal(function_data_pair(&record, 0).first, FUNCTION_DATA_TEXT);
    assert_int_equal(function_data_pair(&record, 0).second, 12);
    assert_int_equal(function_data_pair(&record, 1).second, -1);
    assert_int_equal(rest.size, 0);
    assert_false(function_data_next(&rest, &record));
}

static void a_record_that_is_cut_off_remains(void **state)
{
    uint8_t bytes[SIZE];
    struct function_data record;
    (void)state;
    write_record(bytes);
    for (uint64_t size = 1; size < SIZE; size++) {
        struct bytes rest = {bytes, size};
        assert_false(function_data_next(&rest, &record));
        assert_int_equal(rest.size, size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_read),
        cmocka_unit_test(a_record_that_is_cut_off_remains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
