/* A page feeder is a thread that populates pages before they are used. It reports how many bytes
 * are ready, and any request is safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/page_feeder.h"

enum { SIZE = 1 << 20 };

static uint8_t *map(void)
{
    void *place = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(place, MAP_FAILED);
    return place;
}

/* Waits at most ten seconds until the feeder has `size` bytes ready. Returns the number of bytes
 * that are ready. */
static size_t wait_for(struct page_feeder *feeder, const uint8_t *start, size_t size)
{
    const struct timespec moment = {.tv_nsec = 1000L * 1000};
    for (int i = 0; i < 10000 && page_feeder_ready(feeder, start) < size; i++)
        nanosleep(&moment, NULL);
    return page_feeder_ready(feeder, start);
}

/* Asserts that the pages are resident. Without MADV_POPULATE_WRITE the feeder populates no pages,
 * and nothing is asserted. */
static void assert_got(uint8_t *start, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    enum { LEAST_PAGE = 4096 };
    unsigned char got[SIZE / LEAST_PAGE] = {0};
    assert_int_equal(mincore(start, size, got), 0);
    for (size_t i = 0; i < size / (size_t)sysconf(_SC_PAGESIZE); i++)
        assert_true(got[i] & 1);
#else
    (void)start;
    (void)size;
#endif
}

static void it_tells_what_it_has(void **state)
{
    (void)state;
    struct page_feeder feeder;
    uint8_t *start = map();
    page_feeder_start(&feeder);
    assert_true(feeder.is_running);
    assert_int_equal(page_feeder_ready(&feeder, start), 0);
    page_feeder_request(&feeder, start, SIZE / 2);
    assert_int_equal(wait_for(&feeder, start, SIZE / 2), SIZE / 2);
    assert_int_equal(page_feeder_ready(&feeder, start + SIZE / 4), SIZE / 4);
    assert_int_equal(page_feeder_ready(&feeder, start + SIZE / 2), 0);
    assert_int_equal(page_feeder_ready(&feeder, start - 1), 0);
    page_feeder_stop(&feeder);
    assert_got(start, SIZE / 2);
    assert_int_equal(page_feeder_ready(&feeder, start), 0);
    munmap(start, SIZE);
}

/* Makes requests as the arena does: each one begins within the memory of the one before it, which
 * is partly ready. */
static void it_goes_on_where_it_was(void **state)
{
    (void)state;
    struct page_feeder feeder;
    uint8_t *start = map();
    page_feeder_start(&feeder);
    for (size_t i = 0; i < SIZE / 2; i += SIZE / 8) {
        page_feeder_request(&feeder, start + i, SIZE / 2);
        assert_int_equal(wait_for(&feeder, start + i, SIZE / 2), SIZE / 2);
    }
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(start[i], 0);
    page_feeder_stop(&feeder);
    munmap(start, SIZE);
}

/* The program may unmap memory that it requested before the thread begins to populate it. */
static void memory_may_go(void **state)
{
    (void)state;
    struct page_feeder feeder;
    page_feeder_start(&feeder);
    for (int i = 0; i < 100; i++) {
        uint8_t *start = map();
        page_feeder_request(&feeder, start, SIZE);
        munmap(start, SIZE);
    }
    page_feeder_stop(&feeder);
}

/* page_of returns the start of the page for all page sizes, up to 64 KB. */
static void it_gets_whole_pages(void **state)
{
    (void)state;
    enum { LARGEST_PAGE = 65536 };
    static _Alignas(LARGEST_PAGE) uint8_t start[LARGEST_PAGE + 1];
    for (size_t page_size = 4096; page_size <= LARGEST_PAGE; page_size *= 4) {
        assert_ptr_equal(page_of(start, page_size), start);
        assert_ptr_equal(page_of(start + 1, page_size), start);
        assert_ptr_equal(page_of(start + page_size - 1, page_size), start);
        assert_ptr_equal(page_of(start + page_size, page_size), start + page_size);
    }
    uint8_t *mapped = map();
    pages_populate(mapped + SIZE / 4 + 1, 1);
    assert_got(mapped + SIZE / 4, (size_t)sysconf(_SC_PAGESIZE));
    munmap(mapped, SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_tells_what_it_has),
        cmocka_unit_test(it_goes_on_where_it_was),
        cmocka_unit_test(memory_may_go),
        cmocka_unit_test(it_gets_whole_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
