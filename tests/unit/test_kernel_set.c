/* Compares the results of struct kernel_set with those of arrays of flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device_elf.h"
#include "link/model/kernel_set.h"

enum { KERNELS = 1000, SETS = 6, ROUNDS = 300 };

static struct arena arena;
static struct kernel_set sets[SETS];
static bool models[SETS][KERNELS];
static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % limit;
}

static void check(const struct kernel_set *set, const bool *model)
{
    uint32_t expected = 0, count = 0;
    EACH_KERNEL(id, set)
    {
        while (expected < KERNELS && !model[expected])
            expected++;
        assert_int_equal(id, expected++);
        count++;
    }
    for (uint32_t id = 0; id < KERNELS; id++) {
        assert_int_equal(kernel_set_has(set, id), model[id]);
        count -= model[id];
    }
    assert_int_equal(count, 0);
    expected = KERNELS;
    EACH_KERNEL_BACKWARDS(id, set)
    {
        while (!model[--expected])
            ;
        assert_int_equal(id, expected);
    }
}

static uint32_t previous_in_models(const bool *a, const bool *b, uint32_t limit)
{
    while (limit-- > 0)
        if (a[limit] && b[limit])
            return limit;
    return NO_KERNEL;
}

static uint32_t next_in_first_model(const bool *a, const bool *b, uint32_t from)
{
    for (; from < KERNELS; from++)
        if (a[from] && !b[from])
            return from;
    return NO_KERNEL;
}

static uint32_t next_in_no_model(const bool *a, const bool *b, uint32_t from)
{
    while (from < KERNELS && (a[from] || b[from]))
        from++;
    return from;
}

static void check_common(size_t a, size_t b)
{
    uint64_t words[KERNELS / 64 + 1];
    bool model[KERNELS];
    for (size_t i = 0; i < KERNELS; i++)
        model[i] = models[a][i] && models[b][i];
    struct kernel_set common = kernel_sets_common(words, &sets[a], &sets[b]);
    check(&common, model);
    common = kernel_sets_common(words, &common, &sets[b]);
    check(&common, model);
}

static void check_pair(size_t a, size_t b, uint32_t limit)
{
    assert_int_equal(kernel_set_next_without(&sets[a], &sets[b], limit),
                     next_in_first_model(models[a], models[b], limit));
    assert_int_equal(kernel_set_previous_of_both(&sets[a], &sets[b], limit),
                     previous_in_models(models[a], models[b], limit));
    assert_int_equal(kernel_sets_meet(&sets[a], &sets[b]),
                     previous_in_models(models[a], models[b], KERNELS) != NO_KERNEL);
    check_common(a, b);
    const struct kernel_set *both[] = {&sets[a], &sets[b]};
    assert_int_equal(kernel_sets_next_in_none(both, 2, limit),
                     next_in_no_model(models[a], models[b], limit));
}

/* Changes a random set and its model. Kernels are added in random order, so the stored words of a
 * set grow at both ends. */
static void random_operation(void)
{
    uint32_t a = random_below(SETS), b = random_below(SETS), id = random_below(KERNELS);
    switch (random_below(8)) {
    case 0:
        kernel_set_unite(&arena, &sets[a], &sets[b]);
        for (size_t i = 0; i < KERNELS; i++)
            models[a][i] |= models[b][i];
        break;
    case 1:
        sets[a] = (struct kernel_set){.words = NULL};
        memset(models[a], 0, sizeof models[a]);
        break;
    case 2:
        kernel_set_remove(&sets[a], id);
        models[a][id] = false;
        break;
    default:
        kernel_set_add(&arena, &sets[a], id);
        models[a][id] = true;
    }
}

static void sets_are_what_was_put_in(void **unused)
{
    (void)unused;
    arena_init(&arena, fail_out_of_memory, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        random_operation();
        for (size_t a = 0; a < SETS; a++) {
            check(&sets[a], models[a]);
            for (size_t b = 0; b < SETS; b++)
                check_pair(a, b, random_below(KERNELS + 1));
        }
    }
    arena_destroy(&arena);
}

static uint32_t count_lacking(const struct kernel_set *set, const struct kernel_holders *holders)
{
    uint32_t count = 0;
    EACH_KERNEL_THAT_LACKS(id, set, holders)
    {
        count++;
    }
    return count;
}

/* Kernels can be added to the holders as a whole set, or one by one to `kernels`. */
static void holders_are_given_whole_sets(void **unused)
{
    (void)unused;
    struct kernel_set first = {.words = NULL}, second = {.words = NULL};
    struct kernel_holders holders = {.added = NULL};
    arena_init(&arena, fail_out_of_memory, NULL);
    for (uint32_t id = 0; id < 200; id += 2)
        kernel_set_add(&arena, &first, id);
    for (uint32_t id = 100; id < 300; id++)
        kernel_set_add(&arena, &second, id);
    kernel_set_add(&arena, &holders.kernels, 0);
    assert_int_equal(count_lacking(&first, &holders), 99);
    kernel_holders_add(&arena, &holders, &first, NO_KERNEL);
    assert_int_equal(count_lacking(&first, &holders), 0);
    assert_int_equal(count_lacking(&second, &holders), 150);
    kernel_holders_add(&arena, &holders, &second, 299);
    assert_int_equal(count_lacking(&second, &holders), 1);
    kernel_holders_add(&arena, &holders, &second, 100); /* kernel 100 has the item already */
    assert_int_equal(count_lacking(&second, &holders), 0);
    kernel_holders_add(&arena, &holders, &second, NO_KERNEL);
    kernel_holders_add(&arena, &holders, &second, NO_KERNEL);
    assert_int_equal(count_lacking(&first, &holders), 0);
    assert_int_equal(count_lacking(&second, &holders), 0);
    arena_destroy(&arena);
}

/* Adding a set to a union does not change the set. */
static void a_union_of_one_set_is_that_set(void **unused)
{
    (void)unused;
    struct kernel_set first = {.words = NULL}, second = {.words = NULL};
    struct kernel_union sum = {.set = NULL};
    arena_init(&arena, fail_out_of_memory, NULL);
    kernel_set_add(&arena, &first, 1);
    kernel_set_add(&arena, &second, 500);
    assert_int_equal(kernel_set_next(kernel_union_set(&sum), 0), NO_KERNEL);
    kernel_union_add(&arena, &sum, &first);
    kernel_union_add(&arena, &sum, &first);
    kernel_union_add_kernel(&arena, &sum, 1);
    assert_ptr_equal(kernel_union_set(&sum), &first);
    kernel_union_add(&arena, &sum, &second);
    kernel_union_add_kernel(&arena, &sum, 7);
    assert_int_equal(kernel_set_only(&first), 1);
    assert_int_equal(kernel_set_only(&second), 500);
    assert_int_equal(kernel_set_next(kernel_union_set(&sum), 2), 7);
    assert_int_equal(kernel_set_next(kernel_union_set(&sum), 8), 500);
    arena_destroy(&arena);
}

static void the_only_member(void **unused)
{
    (void)unused;
    struct kernel_set set = {.words = NULL};
    arena_init(&arena, fail_out_of_memory, NULL);
    assert_int_equal(kernel_set_only(&set), NO_KERNEL);
    assert_int_equal(kernel_set_previous(&set, NO_KERNEL), NO_KERNEL);
    kernel_set_add(&arena, &set, 200);
    assert_int_equal(kernel_set_only(&set), 200);
    kernel_set_add(&arena, &set, 63);
    assert_int_equal(kernel_set_only(&set), NO_KERNEL);
    arena_destroy(&arena);
}

/* A set whose only member is the kernel with the number 1,000,000 stores no words for smaller
 * numbers. */
static void far_members_need_no_room_before_them(void **unused)
{
    (void)unused;
    struct kernel_set set = {.words = NULL};
    arena_init(&arena, fail_out_of_memory, NULL);
    kernel_set_add(&arena, &set, 1000000);
    assert_int_equal(set.count, 1);
    assert_int_equal(kernel_set_next(&set, 0), 1000000);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_what_was_put_in),
        cmocka_unit_test(holders_are_given_whole_sets),
        cmocka_unit_test(a_union_of_one_set_is_that_set),
        cmocka_unit_test(the_only_member),
        cmocka_unit_test(far_members_need_no_room_before_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
