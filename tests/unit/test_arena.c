/* The arena: zeroed and aligned memory, growth, and what happens when memory runs out. */
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

struct owner {
    jmp_buf home;
    unsigned calls;
};

static void jump_home(void *context)
{
    struct owner *owner = context;
    owner->calls++;
    longjmp(owner->home, 1);
}

static void never_called(void *context)
{
    (void)context;
    fail_msg("out of memory");
    abort();
}

/* Fills freed memory with ones, so that the next malloc does not return zeros by chance. */
static void leave_dirt(size_t size)
{
    volatile uint8_t *bytes = malloc(size); /* volatile, so that the compiler keeps the writes */
    assert_non_null((void *)bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = 0xff;
    free((void *)bytes);
}

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    static const size_t SIZES[] = {1, 3, 8, 17, 4000, 65536, 1, 300000, 2};
    struct arena arena;
    leave_dirt(90000);
    arena_init(&arena, never_called, NULL);
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            uint8_t *bytes = arena_alloc(&arena, SIZES[i]);
            assert_int_equal((uintptr_t)bytes % ARENA_ALIGNMENT, 0);
            for (size_t at = 0; at<SIZES[i]; at += SIZES[i]> 64 ? 61 : 1)
                assert_int_equal(bytes[at], 0);
            memset(bytes, 0xff, SIZES[i]);
        }
    arena_destroy(&arena);
}

static void allocations_do_not_overlap(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct arena arena;
    uint32_t *blocks[COUNT];
    arena_init(&arena, never_called, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t words = 1 + i * 7 % 40 + (i % 500 == 0 ? 20000 : 0);
        blocks[i] = ARENA_ARRAY(&arena, uint32_t, words);
        for (size_t word = 0; word < words; word++)
            blocks[i][word] = i;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t words = 1 + i * 7 % 40 + (i % 500 == 0 ? 20000 : 0);
        for (size_t word = 0; word < words; word++)
            assert_int_equal(blocks[i][word], i);
    }
    arena_destroy(&arena);
}

static void size_zero_gives_a_unique_address(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, never_called, NULL);
    void *one = arena_alloc(&arena, 0), *other = arena_alloc(&arena, 0);
    assert_non_null(one);
    assert_ptr_not_equal(one, other);
    arena_destroy(&arena);
}

/* By default an allocation that is too large ends the program in AddressSanitizer and in
 * ThreadSanitizer. With these options it returns NULL, as malloc of the system does. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* Each allocation of this test asks for more bytes than an address space has. */
static void too_much_calls_the_handler(void **state)
{
    (void)state;
    struct owner owner = {.calls = 0};
    struct arena arena;
    arena_init(&arena, jump_home, &owner);
    if (!setjmp(owner.home))
        arena_alloc(&arena, SIZE_MAX);
    if (!setjmp(owner.home))
        arena_alloc(&arena, SIZE_MAX / 2);
    if (!setjmp(owner.home))
        arena_alloc_array(&arena, SIZE_MAX / 4, 8);
    assert_int_equal(owner.calls, 3);
    assert_non_null(arena_alloc(&arena, 8)); /* the arena is still usable */
    arena_destroy(&arena);
}

static void a_limit_counts_as_all_the_memory_there_is(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 20, PART = 100000 };
    struct owner owner = {.calls = 0};
    struct arena arena;
    volatile size_t taken = 0;
    arena_init(&arena, jump_home, &owner);
    arena.limit = LIMIT;
    while (!setjmp(owner.home)) {
        assert_true(taken < LIMIT);
        arena_alloc(&arena, PART);
        taken += PART;
    }
    assert_true(taken >= LIMIT / 2);
    assert_true(arena.reserved <= LIMIT);
    arena_destroy(&arena);
}

struct budget_user {
    struct memory_budget *budget;
    size_t reserved;
};

/* Takes blocks until the budget is used up. */
static void *use_up(void *context)
{
    struct budget_user *user = context;
    enum { PART = 100000 };
    struct owner owner = {.calls = 0};
    struct arena arena;
    arena_init(&arena, jump_home, &owner);
    arena.budget = user->budget;
    while (!setjmp(owner.home))
        arena_alloc(&arena, PART);
    user->reserved = arena.reserved;
    arena_destroy(&arena);
    return NULL;
}

static void arenas_of_threads_share_a_budget(void **state)
{
    (void)state;
    enum { TOTAL = 64 << 20, THREADS = 4 };
    struct memory_budget budget = {TOTAL};
    struct budget_user users[THREADS];
    pthread_t threads[THREADS];
    size_t reserved = 0;
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct budget_user){&budget, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, use_up, &users[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        reserved += users[i].reserved;
    }
    assert_int_equal(reserved + budget.left, TOTAL);
    assert_true(reserved >= TOTAL / 2);
}

static void strings_are_copied_and_formatted(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, never_called, NULL);
    char *copy = arena_copy_string(&arena, "kernel_name", 6);
    assert_string_equal(copy, "kernel");
    assert_string_equal(arena_copy_string(&arena, "", 0), "");
    assert_string_equal(arena_format(&arena, ".text.%s [%d]", copy, 12), ".text.kernel [12]");
    assert_string_equal(arena_format(&arena, "%s", ""), "");
    arena_destroy(&arena);
}

static void strings_are_joined(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"", "first", "", "last"};
    struct arena arena;
    arena_init(&arena, never_called, NULL);
    assert_string_equal(arena_join(&arena, ".text.", "kernel"), ".text.kernel");
    assert_string_equal(arena_join_all(&arena, TEXTS, 4, ", "), ", first, , last");
    assert_string_equal(arena_join_all(&arena, TEXTS, 2, ""), "first");
    assert_string_equal(arena_join_all(&arena, NULL, 0, ","), "");
    arena_destroy(&arena);
}

struct list {
    GROWING_ARRAY(uint64_t, items);
};

static void a_growing_array_keeps_its_elements(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    struct arena arena;
    struct list list = {0};
    arena_init(&arena, never_called, NULL);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t *item = ARENA_APPEND(&arena, &list, items);
        assert_int_equal(*item, 0);
        *item = i * i;
    }
    assert_int_equal(list.items_count, COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(list.items[i], i * i);
    arena_destroy(&arena);
}

/* The arena stores each large array in a separate block. It moves the block when the array must
 * grow. */
static void large_arrays_grow_beside_each_other(void **state)
{
    (void)state;
    enum { LISTS = 3, COUNT = 300000 };
    struct arena arena;
    struct list lists[LISTS] = {0};
    arena_init(&arena, never_called, NULL);
    for (uint64_t i = 0; i < COUNT; i++)
        for (uint64_t k = 0; k < LISTS; k++) {
            uint64_t *item = ARENA_APPEND(&arena, &lists[k], items);
            assert_int_equal(*item, 0);
            *item = LISTS * i + k;
        }
    for (uint64_t i = 0; i < COUNT; i++)
        for (uint64_t k = 0; k < LISTS; k++)
            assert_int_equal(lists[k].items[i], LISTS * i + k);
    arena_destroy(&arena);
}

static void a_limit_holds_for_growing_arrays(void **state)
{
    (void)state;
    enum { LIMIT = 4 << 20 };
    struct owner owner = {.calls = 0};
    struct arena arena;
    static struct list list; /* unchanged by the jump */
    list = (struct list){0};
    arena_init(&arena, jump_home, &owner);
    arena.limit = LIMIT;
    while (!setjmp(owner.home)) {
        assert_true(list.items_count < LIMIT / sizeof *list.items);
        *ARENA_APPEND(&arena, &list, items) = 1;
    }
    assert_int_equal(owner.calls, 1);
    assert_true(list.items_count >= LIMIT / sizeof *list.items / 8);
    assert_true(arena.reserved <= LIMIT);
    arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(allocations_do_not_overlap),
        cmocka_unit_test(size_zero_gives_a_unique_address),
        cmocka_unit_test(too_much_calls_the_handler),
        cmocka_unit_test(a_limit_counts_as_all_the_memory_there_is),
        cmocka_unit_test(arenas_of_threads_share_a_budget),
        cmocka_unit_test(strings_are_copied_and_formatted),
        cmocka_unit_test(strings_are_joined),
        cmocka_unit_test(a_growing_array_keeps_its_elements),
        cmocka_unit_test(large_arrays_grow_beside_each_other),
        cmocka_unit_test(a_limit_holds_for_growing_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
