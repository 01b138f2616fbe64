/* Interned names: each has one numbered entry, and the other fields of a new entry are zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/name_table.h"

/* The size of the largest entry in a link. `filled` must be zero in a new entry. */
struct entry {
    struct name name;
    uint64_t filled[6];
};

/* Enough names to make the table grow many times. Entries reuse the memory of the slots before
 * growth. */
enum { NAME_COUNT = 20000 };

static void never_called(void *context)
{
    (void)context;
    fail_msg("out of memory");
    abort();
}

static int open_table(void **state)
{
    static struct arena arena;
    arena_init(&arena, never_called, NULL);
    struct name_table *table = ARENA_NEW(&arena, struct name_table);
    name_table_init(table, &arena, sizeof(struct entry));
    *state = table;
    return 0;
}

static int close_table(void **state)
{
    const struct name_table *table = *state;
    arena_destroy(table->arena);
    return 0;
}

static const char *text_of(struct name_table *table, uint32_t number)
{
    return arena_format(table->arena, "_Z%uname", number);
}

static void new_entries_are_zeroed_and_numbered(void **state)
{
    struct name_table *table = *state;
    for (uint32_t i = 1; i <= NAME_COUNT; i++) {
        struct entry *entry = name_table_intern(table, text_of(table, i));
        assert_int_equal(table->count, i);
        assert_ptr_equal(entry, name_table_entry(table, i));
        for (size_t j = 0; j < sizeof entry->filled / sizeof *entry->filled; j++) {
            assert_int_equal(entry->filled[j], 0);
            entry->filled[j] = UINT64_MAX - i;
        }
    }
}

static void names_keep_their_entries(void **state)
{
    struct name_table *table = *state;
    for (uint32_t i = 1; i <= NAME_COUNT; i++)
        *((struct entry *)name_table_intern(table, text_of(table, i)))->filled = i;
    for (uint32_t i = 1; i <= NAME_COUNT; i++) {
        const char *text = text_of(table, i);
        const struct entry *entry = name_table_find(table, text);
        assert_ptr_equal(entry, name_table_entry(table, i));
        assert_ptr_equal(entry, name_table_intern(table, text));
        assert_string_equal(entry->name.text, text);
        assert_int_equal(*entry->filled, i);
    }
    assert_int_equal(table->count, NAME_COUNT);
}

static void unknown_name_is_not_found(void **state)
{
    struct name_table *table = *state;
    assert_null(name_table_find(table, "a"));
    name_table_intern(table, "a");
    assert_null(name_table_find(table, "b"));
    assert_null(name_table_find(table, ""));
    assert_int_equal(table->count, 1);
}

static void bytes_may_hold_any_value(void **state)
{
    struct name_table *table = *state;
    const void *first = name_table_intern_bytes(table, "a\0b", 3);
    assert_ptr_not_equal(first, name_table_intern_bytes(table, "a\0c", 3));
    assert_ptr_not_equal(first, name_table_intern_bytes(table, "a\0b", 2));
    assert_ptr_equal(first, name_table_intern_bytes(table, "a\0b", 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(new_entries_are_zeroed_and_numbered, open_table,
                                        close_table),
        cmocka_unit_test_setup_teardown(names_keep_their_entries, open_table, close_table),
        cmocka_unit_test_setup_teardown(unknown_name_is_not_found, open_table, close_table),
        cmocka_unit_test_setup_teardown(bytes_may_hold_any_value, open_table, close_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
