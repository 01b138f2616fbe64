/* Structures of other versions of the header: the caller states their sizes. Run from the
 * repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "seen_messages.h"
#include "warpld.h"

enum { LONGER = 24 }; /* size of the fields that a later header adds */

/* Copies a structure of `known` bytes and appends LONGER zero bytes, as a later header would. Sets
 * the size field, and sets the byte `set_byte` to 1 if it is one of the appended bytes. The caller
 * frees the copy. */
static void *lengthen(const void *structure, size_t known, size_t set_byte)
{
    uint8_t *longer = calloc(1, known + LONGER);
    size_t size = known + LONGER;
    assert_non_null(longer);
    memcpy(longer, structure, known);
    memcpy(longer, &size, sizeof size);
    longer[set_byte] |= set_byte >= known;
    return longer;
}

/* If the field `size` has a wrong value, no other field is used, not even the message callback. */
static void sizes_of_no_options(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, offsetof(struct warpld_options, compile) - 1, SIZE_MAX};
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        struct warpld_link *link = (struct warpld_link *)&seen;
        options.size = SIZES[i];
        assert_int_equal(warpld_create(&options, &link), WARPLD_ERROR_ARGUMENT);
        assert_null(link);
    }
    assert_int_equal(seen.count, 0);
}

static void options_of_a_newer_header(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    struct warpld_link *link;
    void *unset = lengthen(&options, sizeof options, 0);
    assert_int_equal(warpld_create(unset, &link), WARPLD_OK);
    warpld_destroy(link);
    free(unset);
    for (size_t i = 0; i < LONGER; i++) {
        void *set = lengthen(&options, sizeof options, sizeof options + i);
        seen = (struct seen){0};
        assert_int_equal(warpld_create(set, &link), WARPLD_ERROR_ARGUMENT);
        assert_null(link);
        seen_assert_fatal(&seen, "options-unknown");
        free(set);
    }
}

/* A function of the library that fills a structure of the caller. */
struct query {
    enum warpld_status (*ask)(struct warpld_link *link, void *structure);
    size_t smallest; /* size in the first version of the header, without padding at the end */
    size_t known;    /* size in this version of the header */
};

static enum warpld_status ask_object(struct warpld_link *link, void *structure)
{
    return warpld_get_linked_object(link, 0, structure);
}

static enum warpld_status ask_file(struct warpld_link *link, void *structure)
{
    return warpld_get_read_file(link, 0, structure);
}

static enum warpld_status ask_statistics(struct warpld_link *link, void *structure)
{
    return warpld_get_statistics(link, structure);
}

static const struct query QUERIES[] = {
    {ask_object, sizeof(struct warpld_linked_object), sizeof(struct warpld_linked_object)},
    {ask_file, offsetof(struct warpld_read_file, missing) + 1, sizeof(struct warpld_read_file)},
    {ask_statistics, offsetof(struct warpld_statistics, prepared_images),
     sizeof(struct warpld_statistics)},
};

/* Calls the query with a structure of `size` bytes. Except for the size field, all bytes are 0, but
 * the byte `set_byte` is 1 if this index is not 0. Returns how many bytes the library filled, or 0
 * if it refused the structure and left it unchanged. */
static size_t ask(struct warpld_link *link, const struct query *query, size_t size, size_t set_byte)
{
    static uint8_t structure[8192], before[sizeof structure];
    memset(structure, 0, sizeof structure);
    structure[set_byte] = 1;
    memcpy(structure, &size, sizeof size);
    memcpy(before, structure, sizeof structure);
    enum warpld_status status = query->ask(link, structure);
    size_t filled;
    memcpy(&filled, structure, sizeof filled);
    if (status == WARPLD_OK) {
        assert_memory_equal(structure + filled, before + filled, sizeof structure - filled);
        return filled;
    }
    assert_int_equal(status, WARPLD_ERROR_ARGUMENT);
    assert_memory_equal(structure, before, sizeof structure);
    return 0;
}

static void structures_of_queries(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++) {
        const struct query *query = &QUERIES[i];
        assert_int_equal(ask(link, query, 0, 0), 0);
        assert_int_equal(ask(link, query, query->smallest - 1, 0), 0);
        assert_int_equal(ask(link, query, query->smallest, 0), query->smallest);
        assert_int_equal(ask(link, query, query->known, 0), query->known);
        assert_int_equal(ask(link, query, query->known + LONGER, 0), query->known);
        assert_int_equal(ask(link, query, query->known + LONGER, query->known), 0);
        assert_int_equal(ask(link, query, query->known + 1, query->known + 1), query->known);
        assert_int_equal(ask(link, query, SIZE_MAX, 0), 0);
        assert_int_equal(query->ask(link, NULL), WARPLD_ERROR_ARGUMENT);
        assert_int_equal(query->ask(NULL, &seen), WARPLD_ERROR_ARGUMENT);
    }
    warpld_destroy(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_no_options),
        cmocka_unit_test(options_of_a_newer_header),
        cmocka_unit_test(structures_of_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
