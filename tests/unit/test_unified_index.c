/* Reads and writes index files of unified tables. A file is refused if it has fewer entries than
 * its header says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/unified_index.h"

enum {
    FUNCTIONS = 2,
    VARIABLES = 1,
    SIZE = UNIFIED_INDEX_HEADER_SIZE + (FUNCTIONS + VARIABLES) * UNIFIED_INDEX_ENTRY_SIZE,
    ROOM = SIZE + FUNCTIONS * UNIFIED_INDEX_EXTRA_SIZE,
    VERSION_AT = 8,
    COUNT_OF_FUNCTIONS_AT = 24,
    COUNT_OF_DATA_AT = 40,
};

static const struct unified_index_entry ENTRIES[] = {
    {{1, 2}, 0x80}, {{UINT64_MAX, 4}, 0}, {{5, 6}, 8}};

/* Writes two functions and a variable in version 1 of the format. The buffer has space for the
 * fields that version 2 adds. */
static void write_file(uint8_t file[ROOM])
{
    const struct unified_index index = {.version = 1, .window = {0x100, 12}, .count = {2, 1}};
    memset(file, 0, ROOM);
    assert_int_equal(unified_index_size(&index), SIZE);
    unified_index_write_header(&index, file);
    for (size_t i = 0; i < FUNCTIONS + VARIABLES; i++)
        unified_index_write_entry(&ENTRIES[i],
                                  file + UNIFIED_INDEX_HEADER_SIZE + i * UNIFIED_INDEX_ENTRY_SIZE);
}

static enum unified_index_problem open_file(const uint8_t *file, uint64_t size)
{
    struct unified_index index;
    return unified_index_open(&index, (struct bytes){file, size});
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    uint8_t file[ROOM];
    struct unified_index index;
    write_file(file);
    assert_int_equal(unified_index_open(&index, (struct bytes){file, SIZE}), UNIFIED_INDEX_SOUND);
    assert_int_equal(index.version, 1);
    assert_int_equal(index.window[UNIFIED_FUNCTIONS], 0x100);
    assert_int_equal(index.window[UNIFIED_DATA], 12);
    assert_int_equal(index.count[UNIFIED_FUNCTIONS], FUNCTIONS);
    assert_int_equal(index.count[UNIFIED_DATA], VARIABLES);
    for (size_t i = 0; i < FUNCTIONS + VARIABLES; i++) {
        struct unified_index_entry entry =
            i < FUNCTIONS ? unified_index_entry(&index, UNIFIED_FUNCTIONS, i)
                          : unified_index_entry(&index, UNIFIED_DATA, i - FUNCTIONS);
        assert_int_equal(unified_id_compare(entry.id, ENTRIES[i].id), 0);
        assert_int_equal(entry.offset, ENTRIES[i].offset);
    }
    assert_int_equal(index.extra.size, 0);
}

/* The bytes that nvlink 13.0.88 accepts. */
static void a_header_has_the_known_bytes(void **state)
{
    (void)state;
    static const uint8_t EXPECTED[UNIFIED_INDEX_HEADER_SIZE] = {
        0x7f, 'U', 'F', 'T', 'I', 'N', 'D', 'X', 1,  0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
        2,    0,   0,   0,   0,   0,   0,   0,   12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    uint8_t file[ROOM];
    write_file(file);
    assert_memory_equal(file, EXPECTED, sizeof EXPECTED);
}

static void other_files_have_no_magic(void **state)
{
    (void)state;
    uint8_t file[ROOM];
    write_file(file);
    for (uint64_t size = 0; size < 8; size++)
        assert_int_equal(open_file(file, size), UNIFIED_INDEX_MAGIC);
    file[3]++;
    assert_int_equal(open_file(file, SIZE), UNIFIED_INDEX_MAGIC);
}

static void any_other_size_is_refused(void **state)
{
    (void)state;
    uint8_t file[ROOM];
    write_file(file);
    for (uint64_t size = 8; size <= ROOM; size++)
        assert_int_equal(open_file(file, size),
                         size == SIZE ? UNIFIED_INDEX_SOUND : UNIFIED_INDEX_SIZE);
}

static void versions_above_1_have_more_bytes(void **state)
{
    (void)state;
    static const uint32_t VERSIONS[] = {0, 1, 2, 3, UINT32_MAX};
    uint8_t file[ROOM];
    write_file(file);
    for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
        bool has_more = VERSIONS[i] > 1;
        store_u32(file + VERSION_AT, VERSIONS[i]);
        assert_int_equal(open_file(file, SIZE),
                         has_more ? UNIFIED_INDEX_SIZE : UNIFIED_INDEX_SOUND);
        assert_int_equal(open_file(file, ROOM),
                         has_more ? UNIFIED_INDEX_SOUND : UNIFIED_INDEX_SIZE);
    }
}

/* An entry has 24 bytes. 24 times 2^61 is 0 in 64 bits, so nvlink 13.0.88 accepts a count of 2^61.
 * warpld must refuse it. */
static void counts_do_not_wrap_round(void **state)
{
    (void)state;
    static const uint64_t COUNTS[] = {FUNCTIONS + 1, UINT64_C(1) << 61, UINT64_MAX};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        uint8_t file[ROOM];
        write_file(file);
        store_u64(file + COUNT_OF_FUNCTIONS_AT, COUNTS[i]);
        assert_int_equal(open_file(file, SIZE), UNIFIED_INDEX_SIZE);
        write_file(file);
        store_u64(file + COUNT_OF_DATA_AT, COUNTS[i]);
        assert_int_equal(open_file(file, SIZE), UNIFIED_INDEX_SIZE);
    }
}

static void identifiers_are_numbers_of_128_bits(void **state)
{
    (void)state;
    static const struct unified_id ASCENDING[] = {{0, 0}, {1, 0}, {UINT64_MAX, 0}, {0, 1}, {2, 1}};
    enum { COUNT = sizeof ASCENDING / sizeof *ASCENDING };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            int order = unified_id_compare(ASCENDING[i], ASCENDING[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_header_has_the_known_bytes),
        cmocka_unit_test(other_files_have_no_magic),
        cmocka_unit_test(any_other_size_is_refused),
        cmocka_unit_test(versions_above_1_have_more_bytes),
        cmocka_unit_test(counts_do_not_wrap_round),
        cmocka_unit_test(identifiers_are_numbers_of_128_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
