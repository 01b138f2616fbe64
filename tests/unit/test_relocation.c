/* The relocation tables are consistent, and fields are read and written as the tables say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/relocation.h"

enum { INSTRUCTION_SIZE = 16 };

struct table {
    const struct relocation_type *types;
    size_t count;
    uint32_t base;
    const char *prefix;
};

static void get_tables(struct table tables[2])
{
    tables[0] = (struct table){RELOCATIONS_NATIVE, RELOCATION_NATIVE_COUNT, 0, "R_CUDA_"};
    tables[1] = (struct table){RELOCATIONS_MERCURY, RELOCATION_MERCURY_COUNT,
                               RELOCATION_MERCURY_BASE, "R_MERCURY_"};
}

typedef void type_check(const struct relocation_type *type);

static void for_each_type(type_check *check)
{
    struct table tables[2];
    get_tables(tables);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < tables[t].count; i++)
            check(&tables[t].types[i]);
}

/* Returns a mask of the value's bits that the fields of this type hold. */
static uint64_t value_mask(const struct relocation_type *type)
{
    uint64_t mask = 0;
    for (int i = 0; i < RELOCATION_FIELDS; i++) {
        const struct relocation_field *field = &type->fields[i];
        if (field->width && field->source == RELOCATION_FROM_VALUE)
            mask |= (field->width == 64 ? UINT64_MAX : (UINT64_C(1) << field->width) - 1)
                    << field->source_bit;
    }
    return mask;
}

static bool has_fields(const struct relocation_type *type)
{
    return type->fields[0].width > 0;
}

/* Whether the linker writes a value into the fields of this type. Only then is it known which bits
 * of the value the fields hold. */
static bool is_written(const struct relocation_type *type)
{
    return type->class == RELOCATION_VALUE || type->class == RELOCATION_SLOT ||
           type->class == RELOCATION_CLEAR;
}

/* ---------------------------------------------------------------------------------------------- */
/* The tables */

static void numbers_are_dense_and_names_unique(void **state)
{
    (void)state;
    struct table tables[2];
    get_tables(tables);
    assert_int_equal(tables[0].count, 117);
    assert_int_equal(tables[1].count, 65);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct relocation_type *type = &tables[t].types[i];
            assert_int_equal(type->number, tables[t].base + i);
            assert_ptr_equal(relocation_type_find(type->number), type);
            assert_memory_equal(type->name, tables[t].prefix, strlen(tables[t].prefix));
            for (size_t other = 0; other < i; other++)
                assert_string_not_equal(type->name, tables[t].types[other].name);
        }
}

static void numbers_between_and_behind_the_tables_are_no_types(void **state)
{
    (void)state;
    static const uint32_t NUMBERS[] = {117, 0xffff, 0x10041, 0x20000, UINT32_MAX};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        assert_null(relocation_type_find(NUMBERS[i]));
}

static void check_fields(const struct relocation_type *type)
{
    uint8_t used[INSTRUCTION_SIZE * 8] = {0};
    bool ended = false;
    for (int i = 0; i < RELOCATION_FIELDS; i++) {
        const struct relocation_field *field = &type->fields[i];
        if (field->width && ended)
            fail_msg("%s: a field after the end", type->name);
        ended |= !field->width;
        if (field->width > 64 || field->first_bit + field->width > INSTRUCTION_SIZE * 8 ||
            field->source_bit + field->width > 64)
            fail_msg("%s: field %d does not fit", type->name, i);
        for (unsigned bit = 0; bit < field->width; bit++)
            if (used[field->first_bit + bit]++)
                fail_msg("%s: fields overlap", type->name);
    }
}

static void fields_fit_and_do_not_overlap(void **state)
{
    (void)state;
    for_each_type(check_fields);
}

/* Types that the linker writes have fields; types of the classes NONE and END do not. Only types of
 * the class UNIFIED have a replacement, which is a type of the same view but of another class. */
static void check_class(const struct relocation_type *type)
{
    const struct relocation_type *plain = relocation_type_find(type->replacement);
    if (type->class == RELOCATION_UNIFIED) {
        if (!plain || !type->replacement || plain->class == RELOCATION_UNIFIED ||
            plain->number / RELOCATION_MERCURY_BASE != type->number / RELOCATION_MERCURY_BASE)
            fail_msg("%s: no plain replacement", type->name);
    } else if (type->replacement) {
        fail_msg("%s: has a replacement without need", type->name);
    }
    if (is_written(type) && !has_fields(type))
        fail_msg("%s: writes nothing", type->name);
    if ((type->class == RELOCATION_NONE || type->class == RELOCATION_END) && has_fields(type))
        fail_msg("%s: has fields that nothing writes", type->name);
}

static void classes_and_replacements_agree(void **state)
{
    (void)state;
    for_each_type(check_class);
}

/* ---------------------------------------------------------------------------------------------- */
/* Fields */

static const uint64_t VALUES[] = {0, 1, 0x1234, UINT64_C(0x123456789abcdef0), UINT64_MAX};
enum { VALUE_COUNT = sizeof VALUES / sizeof *VALUES };

/* Writes values over zeros and over ones. Reading the field must return the value, and no bit
 * outside the field may change. */
static void check_round_trip(const struct relocation_type *type)
{
    if (!is_written(type))
        return;
    for (int fill = 0; fill < 2; fill++)
        for (int i = 0; i < VALUE_COUNT; i++) {
            uint8_t place[INSTRUCTION_SIZE], back[INSTRUCTION_SIZE];
            memset(place, fill ? 0xff : 0, sizeof place);
            memcpy(back, place, sizeof back);
            uint64_t old = relocation_read_addend(type, back, sizeof back);
            relocation_write(type, place, sizeof place, VALUES[i], 3);
            uint64_t value = relocation_read_addend(type, place, sizeof place);
            if (value != (VALUES[i] & value_mask(type)))
                fail_msg("%s: wrote %llx, read %llx", type->name, (unsigned long long)VALUES[i],
                         (unsigned long long)value);
            relocation_write(type, place, sizeof place, old, fill ? 31 : 0);
            if (memcmp(place, back, sizeof place) != 0)
                fail_msg("%s: changed bits outside its fields", type->name);
        }
}

static void what_is_written_reads_back_and_nothing_else_changes(void **state)
{
    (void)state;
    for_each_type(check_round_trip);
}

/* Whether the linker adds a value to the old contents of each field separately. A type whose field
 * holds an upper byte of the value is different: the linker adds the byte that is in the field to
 * the whole value, and then writes the upper byte of the sum. */
static bool adds_field_by_field(const struct relocation_type *type)
{
    return is_written(type) && !(type->fields[0].width == 8 && type->fields[0].source_bit);
}

static void check_in_place(const struct relocation_type *type)
{
    if (!adds_field_by_field(type))
        return;
    for (int i = 0; i < VALUE_COUNT; i++)
        for (int j = 0; j < VALUE_COUNT; j++) {
            uint8_t place[INSTRUCTION_SIZE] = {0};
            relocation_write(type, place, sizeof place, VALUES[i], 0);
            relocation_write_in_place(type, place, sizeof place, VALUES[j], 0);
            uint64_t mask = value_mask(type), low = mask & (~mask + 1), sum = 0;
            if (low)
                sum = ((VALUES[i] & mask) / low + (VALUES[j] & mask) / low) * low & mask;
            if (relocation_read_addend(type, place, sizeof place) != sum)
                fail_msg("%s: %llx + %llx", type->name, (unsigned long long)VALUES[i],
                         (unsigned long long)VALUES[j]);
        }
}

static void addends_in_place_are_added_modulo_the_field(void **state)
{
    (void)state;
    for_each_type(check_in_place);
}

/* The type writes only byte 1 of the value. nvlink adds the old byte to the whole value, without
 * shifting it, and writes byte 1 of the sum (observed): 0x11fb + 5 = 0x1200, so it writes 0x12. */
static void upper_bytes_add_the_old_byte_unshifted(void **state)
{
    (void)state;
    const struct relocation_type *type = relocation_type_find(77); /* R_CUDA_8_8 */
    assert_string_equal(type->name, "R_CUDA_8_8");
    uint8_t place[INSTRUCTION_SIZE] = {5};
    relocation_write_in_place(type, place, sizeof place, 0x11fb, 0);
    assert_int_equal(place[0], 0x12);
    assert_int_equal(place[1], 0);
}

/* If a field extends past the end of its section, only the bytes inside are changed, and those
 * outside are read as zero. */
static void check_cut_off(const struct relocation_type *type)
{
    unsigned size = relocation_size(type);
    for (unsigned available = 0; available < size; available++) {
        uint8_t whole[INSTRUCTION_SIZE] = {0}, cut[INSTRUCTION_SIZE] = {0};
        relocation_write(type, whole, sizeof whole, UINT64_MAX, 31);
        relocation_write(type, cut, available, UINT64_MAX, 31);
        relocation_write_in_place(type, cut, available, 0, 0);
        assert_memory_equal(cut, whole, available);
        for (unsigned i = available; i < sizeof cut; i++)
            assert_int_equal(cut[i], 0);
        assert_true(relocation_read_addend(type, whole, available) ==
                    relocation_read_addend(type, cut, sizeof cut));
    }
}

static void places_at_the_end_of_a_section_are_cut_off(void **state)
{
    (void)state;
    for_each_type(check_cut_off);
}

static void the_bank_goes_into_its_own_field(void **state)
{
    (void)state;
    const struct relocation_type *type = relocation_type_find(66); /* R_CUDA_CONST_FIELD21_38 */
    assert_string_equal(type->name, "R_CUDA_CONST_FIELD21_38");
    uint8_t place[INSTRUCTION_SIZE] = {0};
    relocation_write(type, place, sizeof place, 0x1234, 3);
    assert_int_equal(relocation_read_addend(type, place, sizeof place), 0x1234);
    relocation_write(type, place, sizeof place, 0, 3);
    unsigned bits = 0;
    for (unsigned i = 0; i < sizeof place; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            bits += place[i] >> bit & 1;
    assert_int_equal(bits, 2);
}

static void place_sizes_cover_the_fields(void **state)
{
    (void)state;
    assert_int_equal(relocation_size(relocation_type_find(0)), 0);
    assert_int_equal(relocation_size(relocation_type_find(1)), 4);
    assert_int_equal(relocation_size(relocation_type_find(2)), 8);
    assert_int_equal(relocation_size(relocation_type_find(0x10004)), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_dense_and_names_unique),
        cmocka_unit_test(numbers_between_and_behind_the_tables_are_no_types),
        cmocka_unit_test(fields_fit_and_do_not_overlap),
        cmocka_unit_test(classes_and_replacements_agree),
        cmocka_unit_test(what_is_written_reads_back_and_nothing_else_changes),
        cmocka_unit_test(addends_in_place_are_added_modulo_the_field),
        cmocka_unit_test(upper_bytes_add_the_old_byte_unshifted),
        cmocka_unit_test(places_at_the_end_of_a_section_are_cut_off),
        cmocka_unit_test(the_bank_goes_into_its_own_field),
        cmocka_unit_test(place_sizes_cover_the_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
