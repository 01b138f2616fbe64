/* Reads and writes of little-endian values, and spans with checked bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

static void values_are_little_endian_at_any_address(void **state)
{
    (void)state;
    static const uint8_t BYTES[] = {0xff, 0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88};
    assert_int_equal(load_u16(BYTES + 1), 0x8201);
    assert_int_equal(load_u32(BYTES + 1), 0x84038201);
    assert_true(load_u64(BYTES + 1) == UINT64_C(0x8807860584038201));
}

static void what_is_stored_is_loaded(void **state)
{
    (void)state;
    static const uint64_t VALUES[] = {
        0, 1, 0x80, 0xff00, UINT32_MAX, UINT64_C(0x8000000000000000), UINT64_MAX};
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        uint8_t bytes[10] = {0};
        store_u64(bytes + 1, VALUES[i]);
        assert_true(load_u64(bytes + 1) == VALUES[i]);
        assert_int_equal(load_u32(bytes + 1), (uint32_t)VALUES[i]);
        assert_int_equal(bytes[0] + bytes[9], 0);
        store_u16(bytes + 1, 0xabcd);
        assert_int_equal(load_u16(bytes + 1), 0xabcd);
        assert_int_equal(load_u16(bytes + 3), (uint16_t)(VALUES[i] >> 16));
        store_u32(bytes + 1, 0x12345678);
        assert_int_equal(load_u32(bytes + 1), 0x12345678);
    }
}

static void a_span_contains_only_what_is_inside(void **state)
{
    (void)state;
    static const uint8_t BYTES[16];
    struct bytes span = {BYTES, sizeof BYTES};
    assert_true(bytes_contain(span, 0, 16));
    assert_true(bytes_contain(span, 16, 0));
    assert_true(bytes_contain(span, 12, 4));
    assert_false(bytes_contain(span, 12, 5));
    assert_false(bytes_contain(span, 17, 0));
    assert_false(bytes_contain(span, 8, UINT64_MAX));
    assert_false(bytes_contain(span, UINT64_MAX, 2));
    assert_false(bytes_contain(span, UINT64_MAX - 7, 16)); /* the sum wraps to 8 */
}

static void a_part_is_taken_or_left_alone(void **state)
{
    (void)state;
    static const uint8_t BYTES[16];
    struct bytes span = {BYTES, sizeof BYTES}, part = {0};
    assert_true(bytes_part(span, 4, 8, &part));
    assert_ptr_equal(part.data, BYTES + 4);
    assert_int_equal(part.size, 8);
    assert_false(bytes_part(span, 9, 8, &part));
    assert_ptr_equal(part.data, BYTES + 4);
    assert_int_equal(part.size, 8);
}

static void values_are_aligned_upwards(void **state)
{
    (void)state;
    assert_int_equal(align_up(13, 0), 13);
    assert_int_equal(align_up(13, 1), 13);
    assert_int_equal(align_up(0, 128), 0);
    assert_int_equal(align_up(1, 128), 128);
    assert_int_equal(align_up(128, 128), 128);
    assert_int_equal(align_up(13, 12), 24); /* not a power of two */
    assert_int_equal(align_up(UINT64_MAX - 5, 16), UINT64_MAX);
}

static void sums_of_sizes_end_at_the_largest_number(void **state)
{
    (void)state;
    assert_int_equal(add_sizes(3, 4), 7);
    assert_int_equal(add_sizes(UINT64_MAX - 4, 4), UINT64_MAX);
    assert_int_equal(add_sizes(UINT64_MAX - 4, 5), UINT64_MAX);
    assert_int_equal(add_sizes(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

static void a_short_copy_is_exact(void **state)
{
    (void)state;
    enum { LONGEST = 70 };
    uint8_t from[LONGEST], copy[LONGEST + 1];
    for (size_t i = 0; i < LONGEST; i++)
        from[i] = (uint8_t)(i + 1);
    for (size_t size = 0; size <= LONGEST; size++) {
        memset(copy, 0, sizeof copy);
        assert_ptr_equal(copy_short(copy, from, size), copy + size);
        assert_memory_equal(copy, from, size);
        assert_int_equal(copy[size], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_little_endian_at_any_address),
        cmocka_unit_test(what_is_stored_is_loaded),
        cmocka_unit_test(a_span_contains_only_what_is_inside),
        cmocka_unit_test(a_part_is_taken_or_left_alone),
        cmocka_unit_test(a_short_copy_is_exact),
        cmocka_unit_test(values_are_aligned_upwards),
        cmocka_unit_test(sums_of_sizes_end_at_the_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
