/* The table of attributes is consistent, and the reader of .nv.info finds records and their
 * payloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/info_record.h"

static void codes_are_dense_and_names_unique(void **state)
{
    (void)state;
    assert_int_equal(INFO_CODE_COUNT, 110);
    for (unsigned code = 0; code < INFO_CODE_COUNT; code++) {
        const struct info_attribute *attribute = info_attribute_find(code);
        assert_non_null(attribute);
        assert_int_equal(attribute->code, code);
        for (unsigned other = 0; other < code; other++)
            assert_string_not_equal(attribute->name, info_attribute_find(other)->name);
    }
    assert_null(info_attribute_find(INFO_CODE_COUNT));
    assert_null(info_attribute_find(255));
    assert_null(info_attribute_find(UINT32_MAX));
}

/* In each row of the attribute table, the columns for symbols, payload, merging and format
 * agree. */
static void columns_agree(void **state)
{
    (void)state;
    for (unsigned code = 0; code < INFO_CODE_COUNT; code++) {
        const struct info_attribute *attribute = info_attribute_find(code);
        bool first = attribute->payload == INFO_PAYLOAD_SYMBOL_WORDS ||
                     attribute->payload == INFO_PAYLOAD_SYMBOL_BANK ||
                     attribute->payload == INFO_PAYLOAD_PARAMETER;
        bool every = attribute->payload == INFO_PAYLOAD_SYMBOLS;
        assert_true(first == (attribute->symbols == INFO_SYMBOLS_FIRST));
        assert_true(every == (attribute->symbols == INFO_SYMBOLS_EVERY));
        if (attribute->merge == INFO_MERGE_WITH_SYMBOL)
            assert_int_equal(attribute->symbols, INFO_SYMBOLS_FIRST);
        if (attribute->symbols != INFO_SYMBOLS_NO)
            assert_true(attribute->format == INFO_FORMAT_SIZED ||
                        attribute->format == INFO_FORMAT_NOT_KNOWN);
    }
}

static void known_codes_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(info_attribute_find(EIATTR_REGCOUNT)->name, "REGCOUNT");
    assert_int_equal(EIATTR_REGCOUNT, 47);
    assert_int_equal(EIATTR_EXTERNS, 15);
    assert_int_equal(EIATTR_ERROR_LAST, 96);
}

static void records_of_every_format_are_read(void **state)
{
    (void)state;
    static const uint8_t BYTES[] = {
        4, 47, 8,    0,    7, 0, 0, 0, 24, 0, 0, 0, /* REGCOUNT of symbol 7 */
        3, 25, 0x34, 0x12,                          /* CBANK_PARAM_SIZE */
        2, 76, 3,    0,                             /* NUM_BARRIERS */
        1, 53, 0,    0,                             /* SW2861232_WAR */
        4, 15, 0,    0,                             /* EXTERNS without any */
        4, 90, 3,    0,    1, 2, 3,                 /* odd lengths are not padded */
    };
    struct bytes rest = {BYTES, sizeof BYTES};
    struct info_record record;
    assert_true(info_record_next(&rest, &record));
    assert_int_equal(record.code, EIATTR_REGCOUNT);
    assert_int_equal(record.format, INFO_FORMAT_SIZED);
    assert_int_equal(info_record_payload(&record).size, 8);
    assert_int_equal(info_record_word(&record, 0), 7);
    assert_int_equal(info_record_word(&record, 1), 24);
    assert_true(info_record_next(&rest, &record));
    assert_int_equal(record.value, 0x1234);
    assert_null(record.payload);
    assert_int_equal(info_record_payload(&record).size, 0);
    assert_true(info_record_next(&rest, &record));
    assert_int_equal(record.format, INFO_FORMAT_BYTE);
    assert_int_equal(record.value, 3);
    assert_true(info_record_next(&rest, &record));
    assert_int_equal(record.format, INFO_FORMAT_NONE);
    assert_true(info_record_next(&rest, &record));
    assert_int_equal(info_record_payload(&record).size, 0);
    assert_true(info_record_next(&rest, &record));
    assert_ptr_equal(record.payload, BYTES + sizeof BYTES - 3);
    assert_false(info_record_next(&rest, &record));
    assert_int_equal(rest.size, 0);
}

static void a_cut_record_is_left_over(void **state)
{
    (void)state;
    static const uint8_t BYTES[] = {1, 53, 0, 0, 4, 47, 8, 0, 7, 0, 0, 0, 24, 0, 0};
    for (uint64_t size = 5; size <= sizeof BYTES; size++) {
        struct bytes rest = {BYTES, size};
        struct info_record record;
        assert_true(info_record_next(&rest, &record));
        assert_false(info_record_next(&rest, &record));
        assert_int_equal(rest.size, size - 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_dense_and_names_unique),
        cmocka_unit_test(columns_agree),
        cmocka_unit_test(known_codes_have_their_names),
        cmocka_unit_test(records_of_every_format_are_read),
        cmocka_unit_test(a_cut_record_is_left_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
